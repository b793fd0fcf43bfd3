import { z } from 'zod'
import { Timestamp } from '../../platform/http/wire-types.ts'
import { RequestedRoles } from '../groups/granted-roles.schemas.ts'
import { NewOrganizationIdentity, OrganizationIdentityChanges } from '../identities/identities.schemas.ts'

const LISTED_MAX = 20_000

export const NewOwnedIdentity = NewOrganizationIdentity.extend({
  roles: RequestedRoles.optional().describe('Roles in the project; at least one of them for good'),
})
export const OwnedIdentityChanges = OrganizationIdentityChanges

export const OwnedIdentitiesQuery = z.object({
  offset: z.coerce.number().int().min(0).default(0),
  // wire: clients that leave it out expect all there are.
  limit: z.coerce.number().int().min(1).max(1_000).default(LISTED_MAX),
  search: z.string().trim().max(255).optional().describe('Part of the name'),
})

const OwnedIdentity = z.object({
  id: z.uuid(),
  name: z.string(),
  orgId: z.uuid(),
  projectId: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  hasDeleteProtection: z.boolean(),
  authMethods: z.array(z.string()),
  activeLockoutAuthMethods: z.array(z.string()),
  metadata: z.array(z.object({ id: z.uuid(), key: z.string(), value: z.string() })),
})
export const OwnedIdentityAnswer = z.object({ identity: OwnedIdentity })
export const OwnedIdentityList = z.object({ identities: z.array(OwnedIdentity), totalCount: z.number() })
