import { z } from 'zod'
import { NullableTimestamp, Timestamp } from '../../platform/http/wire-types.ts'

const SHARED_SECRET_LIFETIME_SECONDS_MAX = 2_592_000

export const OrganizationName = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .regex(/^[\p{L}\p{M}\p{N} _-]+$/u, 'Only letters, digits, spaces, - and _ are allowed')

export const ByOrganizationId = z.object({ organizationId: z.string().describe('Id of the organization') })

export const NewOrganization = z.object({ name: OrganizationName })

export const Organization = z.object({
  id: z.string(),
  name: z.string(),
  customerId: z.string().nullable(),
  slug: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  authEnforced: z.boolean(),
  googleSsoAuthEnforced: z.boolean(),
  scimEnabled: z.boolean(),
  kmsDefaultKeyId: z.string().nullable(),
  defaultMembershipRole: z.string(),
  enforceMfa: z.boolean(),
  selectedMfaMethod: z.string().nullable(),
  allowSecretSharingOutsideOrganization: z.boolean(),
  shouldUseNewPrivilegeSystem: z.boolean(),
  privilegeUpgradeInitiatedByUsername: z.string().nullable(),
  privilegeUpgradeInitiatedAt: NullableTimestamp,
  bypassOrgAuthEnabled: z.boolean(),
  userTokenExpiration: z.string().nullable(),
  secretsProductEnabled: z.boolean(),
  pkiProductEnabled: z.boolean(),
  kmsProductEnabled: z.boolean(),
  scannerProductEnabled: z.boolean(),
  shareSecretsProductEnabled: z.boolean(),
  maxSharedSecretLifetime: z.number(),
  maxSharedSecretViewLimit: z.number().nullable(),
  blockDuplicateSecretSyncDestinations: z.boolean(),
  allowCrossProjectSecretSharing: z.boolean(),
  rootOrgId: z.string().nullable(),
  parentOrgId: z.string().nullable(),
  secretShareBrandConfig: z.null(),
})
type Organization = z.infer<typeof Organization>

/** What clients are told of settings that no organization can change here. */
const FIXED: Omit<Organization, 'id' | 'name' | 'slug' | 'createdAt' | 'updatedAt' | 'defaultMembershipRole'> = {
  customerId: null,
  authEnforced: false,
  googleSsoAuthEnforced: false,
  scimEnabled: false,
  kmsDefaultKeyId: null,
  enforceMfa: false,
  selectedMfaMethod: null,
  allowSecretSharingOutsideOrganization: true,
  shouldUseNewPrivilegeSystem: true,
  privilegeUpgradeInitiatedByUsername: null,
  privilegeUpgradeInitiatedAt: null,
  bypassOrgAuthEnabled: false,
  userTokenExpiration: null,
  secretsProductEnabled: true,
  pkiProductEnabled: true,
  kmsProductEnabled: true,
  scannerProductEnabled: true,
  shareSecretsProductEnabled: true,
  maxSharedSecretLifetime: SHARED_SECRET_LIFETIME_SECONDS_MAX,
  maxSharedSecretViewLimit: null,
  blockDuplicateSecretSyncDestinations: false,
  allowCrossProjectSecretSharing: false,
  rootOrgId: null,
  parentOrgId: null,
  secretShareBrandConfig: null,
}

type Row = Pick<Organization, 'id' | 'name' | 'slug' | 'createdAt' | 'updatedAt' | 'defaultMembershipRole'>

export const organizationOnWire = <R extends Row>(row: R): R & Organization => ({ ...FIXED, ...row })

export const OrganizationAnswer = z.object({ organization: Organization })
export const OneOrganization = z.object({ organization: Organization.extend({ pamProjectId: z.null() }) })
export const OrganizationList = z.object({ organizations: z.array(Organization) })

/** No organization here makes people come through an identity provider. */
const AuthMethod = z.literal('')

export const OwnOrganizationList = z.object({
  organizations: z.array(
    Organization.extend({ orgAuthMethod: AuthMethod, userRole: z.string(), userJoinedAt: Timestamp }),
  ),
})

const SubOrganization = z.object({ id: z.string(), name: z.string(), slug: z.string(), userJoinedAt: Timestamp })

export const AccessibleOrganizationList = z.object({
  organizations: z.array(
    Organization.extend({
      orgAuthMethod: AuthMethod,
      userJoinedAt: Timestamp,
      subOrganizations: z.array(SubOrganization),
    }),
  ),
})

export const SubOrganizationQuery = z.object({
  limit: z.coerce.number().int().min(1).max(1_000).default(25),
  offset: z.coerce.number().int().min(0).default(0),
  search: z.string().max(100).optional(),
  orderBy: z.literal('name').default('name'),
  orderDirection: z.enum(['asc', 'desc']).default('asc'),
  isAccessible: z.enum(['true', 'false']).optional(),
})
export const SubOrganizationList = z.object({ organizations: z.array(Organization), totalCount: z.number() })

const PackedRule = z.array(z.union([z.string(), z.number(), z.record(z.string(), z.unknown())]))

export const HeldPermissions = z.object({
  memberships: z.array(z.object({ id: z.string(), roles: z.array(z.object({ role: z.string() })) })),
  permissions: z.array(PackedRule),
})
