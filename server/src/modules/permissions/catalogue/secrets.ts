import { BY_DYNAMIC_SECRET, BY_FOLDER, BY_PLACE, BY_PLACE_AND_CONNECTION, BY_SECRET } from './condition-sets.ts'
import { CRUD, inSecrets } from './subject.ts'

const { plain, conditional } = inSecrets

export const SECRETS = {
  secrets: conditional(['read', 'describeSecret', 'readValue', 'create', 'edit', 'delete'], BY_SECRET),
  'secret-folders': conditional(CRUD, BY_FOLDER),
  'secret-imports': conditional(CRUD, BY_PLACE),
  'dynamic-secrets': conditional(
    ['read-root-credential', 'create-root-credential', 'edit-root-credential', 'delete-root-credential', 'lease'],
    BY_DYNAMIC_SECRET,
  ),
  'secret-rotation': conditional(
    ['read', 'read-generated-credentials', 'create', 'edit', 'delete', 'rotate-secrets'],
    BY_PLACE_AND_CONNECTION,
  ),
  'secret-syncs': conditional([...CRUD, 'sync-secrets', 'import-secrets', 'remove-secrets'], BY_PLACE_AND_CONNECTION),
  'secret-event-subscriptions': conditional(
    [
      'subscribe-to-creation-events',
      'subscribe-to-update-events',
      'subscribe-to-deletion-events',
      'subscribe-to-import-mutation-events',
    ],
    BY_PLACE_AND_CONNECTION,
  ),
  commits: conditional(['read', 'perform-rollback'], BY_PLACE),
  'honey-tokens': conditional(['read', 'read-credentials', 'create', 'edit', 'reset', 'revoke'], BY_PLACE),
  'proxied-services': conditional([...CRUD, 'proxy', 'report-usage'], BY_PLACE),
  'project-folder-grant': conditional(['read-grant', 'create-grant', 'revoke-grant'], BY_PLACE),
  'secret-approval': plain(CRUD),
  'secret-approval-request': plain(['read']),
  'secret-rollback': plain(['read', 'create']),
  integrations: plain(CRUD),
  webhooks: plain(CRUD),
  'service-tokens': plain(CRUD),
  environments: plain(CRUD),
  tags: plain(CRUD),
  insights: plain(['read', 'generate-report', 'delete-report']),
  'ip-allowlist': plain(CRUD),
  kms: plain(['edit']),
} as const
