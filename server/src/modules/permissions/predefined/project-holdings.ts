import { type ProjectSubjects, PROJECT_SUBJECTS } from '../catalogue/project.ts'
import { CRUD } from '../catalogue/subject.ts'
import { everything, type Holdings } from './holdings.ts'

type ProjectHoldings = Holdings<ProjectSubjects>

const READ = ['read'] as const
const SUBSCRIBE = PROJECT_SUBJECTS['secret-event-subscriptions'].actions
const USE_KEYS = ['encrypt', 'decrypt', 'sign', 'verify', 'generate-mac', 'verify-mac'] as const

export const ADMIN: ProjectHoldings = {
  ...everything(PROJECT_SUBJECTS),
  // Everyone in a project may read its folders.
  'secret-folders': ['edit', 'create', 'delete'],
  'code-signers': ['read', 'create'],
}

export const MEMBER: ProjectHoldings = {
  secrets: PROJECT_SUBJECTS.secrets.actions,
  'secret-folders': ['edit', 'create', 'delete'],
  'secret-imports': CRUD,
  'dynamic-secrets': PROJECT_SUBJECTS['dynamic-secrets'].actions,
  'secret-approval': READ,
  'secret-rotation': READ,
  'secret-rollback': ['read', 'create'],
  'secret-syncs': PROJECT_SUBJECTS['secret-syncs'].actions,
  'secret-event-subscriptions': SUBSCRIBE,
  commits: ['read', 'perform-rollback'],
  'honey-tokens': READ,
  'proxied-services': ['read', 'report-usage'],
  integrations: CRUD,
  webhooks: CRUD,
  'service-tokens': CRUD,
  environments: CRUD,
  tags: CRUD,
  settings: CRUD,
  role: READ,
  member: ['read', 'create'],
  groups: READ,
  identity: CRUD,
  'ip-allowlist': READ,
  'audit-logs': READ,
  insights: READ,
  cmek: [...CRUD, ...USE_KEYS, 'rotate'],
  'app-connections': ['connect-app-connections'],
  'hsm-connectors': ['read-hsm-connectors', 'test-hsm-connectors'],
  'secret-scanning-data-sources': [
    'read-data-sources',
    'trigger-data-source-scans',
    'read-data-source-scans',
    'read-data-source-resources',
  ],
  'secret-scanning-findings': ['read-findings', 'update-findings'],
  'secret-scanning-configs': ['read-configs'],
  'certificate-authorities': READ,
  'certificate-policies': READ,
  'certificate-profiles': READ,
  'certificate-application': ['read', 'list'],
  'code-signers': READ,
  'approval-requests': ['create'],
}

export const VIEWER: ProjectHoldings = {
  secrets: ['describeSecret', 'readValue'],
  'secret-imports': READ,
  'dynamic-secrets': ['read-root-credential'],
  'secret-approval': READ,
  'secret-rotation': READ,
  'secret-rollback': READ,
  'secret-syncs': READ,
  'secret-event-subscriptions': SUBSCRIBE,
  commits: READ,
  'honey-tokens': READ,
  'proxied-services': ['read', 'report-usage'],
  integrations: READ,
  webhooks: READ,
  'service-tokens': READ,
  environments: READ,
  tags: READ,
  settings: READ,
  role: READ,
  member: READ,
  groups: READ,
  identity: READ,
  'ip-allowlist': READ,
  'audit-logs': READ,
  insights: READ,
  cmek: READ,
  'secret-scanning-data-sources': ['read-data-sources', 'read-data-source-scans', 'read-data-source-resources'],
  'secret-scanning-findings': ['read-findings'],
  'secret-scanning-configs': ['read-configs'],
  'certificate-authorities': READ,
  certificates: READ,
  'certificate-templates': READ,
  'certificate-policies': READ,
  'certificate-application': ['read', 'list'],
  'certificate-inventory-views': READ,
  'pki-syncs': READ,
  'pki-discovery': READ,
  'pki-certificate-installations': READ,
  'code-signers': READ,
}

export const CRYPTOGRAPHIC_OPERATOR: ProjectHoldings = { cmek: USE_KEYS }
