import { BY_CONNECTION } from './condition-sets.ts'
import { anywhere, CRUD } from './subject.ts'

const { plain, conditional } = anywhere

/** Everything that is checked in an organization, outside its projects. */
export const ORGANIZATION_SUBJECTS = {
  // wire: the older name of `project`.
  workspace: plain(['create']),
  project: plain(['create', 'request-access']),
  role: plain(CRUD),
  'sub-organization': plain(['create', 'edit', 'delete', 'direct-access', 'link-group']),
  member: plain(CRUD),
  settings: plain(CRUD),
  'incident-contact': plain(CRUD),
  sso: plain([...CRUD, 'bypass-sso-enforcement']),
  scim: plain(CRUD),
  'github-org-sync': plain(CRUD),
  'github-org-sync-manual': plain(CRUD),
  ldap: plain(CRUD),
  groups: plain([...CRUD, 'grant-privileges', 'add-identities', 'add-members', 'remove-members', 'remove-identities']),
  'secret-scanning': plain(CRUD),
  billing: plain(['read', 'manage-billing']),
  identity: plain([
    ...CRUD,
    'grant-privileges',
    'revoke-auth',
    'edit-auth',
    'create-token',
    'get-token',
    'delete-token',
  ]),
  kms: plain(CRUD),
  'audit-logs': plain(['read']),
  'project-templates': plain(CRUD),
  'app-connections': conditional([...CRUD, 'connect', 'rotate-credentials'], BY_CONNECTION),
  'organization-admin-console': plain(['access-all-projects']),
  'secret-share': plain(['manage-settings']),
  kmip: plain(['proxy']),
  'machine-identity-auth-template': plain([
    'list-templates',
    'edit-templates',
    'create-templates',
    'delete-templates',
    'unlink-templates',
    'attach-templates',
  ]),
  gateway: plain([
    'create-gateways',
    'list-gateways',
    'edit-gateways',
    'delete-gateways',
    'attach-gateways',
    'revoke-gateway-access',
  ]),
  'gateway-pool': plain([
    'create-gateway-pools',
    'list-gateway-pools',
    'edit-gateway-pools',
    'delete-gateway-pools',
    'attach-gateway-pools',
  ]),
  relay: plain(['create-relays', 'list-relays', 'edit-relays', 'delete-relays', 'revoke-relay-access']),
  'kmip-server': plain([
    'create-kmip-servers',
    'list-kmip-servers',
    'edit-kmip-servers',
    'delete-kmip-servers',
    'revoke-kmip-server-access',
  ]),
  'email-domains': plain(['read', 'create', 'verify-domain', 'delete']),
  'certificate-manager': plain(['read', 'manage-instance', 'manage-settings']),
  'honey-tokens': plain(['setup']),
  'oauth-clients': plain(CRUD),
  'secrets-management-insights': plain(['read', 'generate-report', 'delete-report']),
} as const
export type OrganizationSubjects = typeof ORGANIZATION_SUBJECTS
