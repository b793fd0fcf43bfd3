import { ACCESS } from './access.ts'
import { CERTIFICATES, ROLE_ONLY } from './certificates.ts'
import { OTHER_PRODUCTS } from './other-products.ts'
import { SECRETS } from './secrets.ts'

/** What a rule of a project may speak about. */
export const REQUESTABLE_SUBJECTS = { ...SECRETS, ...ACCESS, ...CERTIFICATES, ...OTHER_PRODUCTS } as const

/** Everything that is checked inside a project. */
export const PROJECT_SUBJECTS = { ...REQUESTABLE_SUBJECTS, ...ROLE_ONLY } as const
export type ProjectSubjects = typeof PROJECT_SUBJECTS

/** Of products that are gone: rules about them are accepted, kept and shown, and grant nothing. */
export const INERT_SUBJECTS = [
  ...['ssh-certificate-authorities', 'ssh-certificates', 'ssh-certificate-templates', 'ssh-hosts', 'ssh-host-groups'],
  ...['mcp-endpoints', 'mcp-servers', 'mcp-activity-logs'],
  ...['pam-folders', 'pam-resources', 'pam-domains', 'pam-accounts', 'pam-account-policies', 'pam-sessions'],
  ...['pam-discovery', 'pam-insights'],
] as const
