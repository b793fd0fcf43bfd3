import { BY_CONNECTION, BY_GROUP, BY_IDENTITY, BY_MEMBER } from './condition-sets.ts'
import { anywhere, CRUD, outsideSecrets, withConnections } from './subject.ts'

const { plain, conditional } = anywhere

/** Who may come in and what they may do, and what every product shares. */
export const ACCESS = {
  identity: conditional(
    [
      ...CRUD,
      'grant-privileges',
      'assign-role',
      'assign-additional-privileges',
      'assume-privileges',
      'revoke-auth',
      'edit-auth',
      'create-token',
      'get-token',
      'delete-token',
    ],
    BY_IDENTITY,
  ),
  member: conditional(
    [...CRUD, 'grant-privileges', 'assign-role', 'assign-additional-privileges', 'assume-privileges'],
    BY_MEMBER,
  ),
  groups: conditional([...CRUD, 'grant-privileges', 'assign-role'], BY_GROUP),
  role: plain(CRUD),
  settings: plain(CRUD),
  'audit-logs': plain(['read']),
  workspace: plain(['edit', 'delete']),
  'app-connections': withConnections.conditional(
    [
      'read-app-connections',
      'create-app-connections',
      'edit-app-connections',
      'delete-app-connections',
      'connect-app-connections',
      'rotate-credentials',
    ],
    BY_CONNECTION,
  ),
  'approval-requests': outsideSecrets.plain(['read', 'create']),
  'approval-request-grants': outsideSecrets.plain(['read', 'revoke']),
} as const
