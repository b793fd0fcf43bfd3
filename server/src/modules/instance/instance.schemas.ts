import { z } from 'zod'
import { Timestamp } from '../../platform/http/wire-types.ts'
import { Organization, OrganizationName } from '../organizations/organizations.schemas.ts'
import { PASSWORD_POLICY } from '../users/password-policy.ts'
import { AnyPassword, Email, FirstName, LastName, NewPassword } from '../users/users.schemas.ts'

const CONTENT_LENGTH_MAX = 10_000
const LOGIN_METHODS = ['email', 'google', 'github', 'gitlab', 'saml', 'ldap', 'oidc'] as const
const ONLY_ID = '00000000-0000-0000-0000-000000000000'

export const Status = z.object({
  date: Timestamp,
  message: z.literal('Ok'),
  emailConfigured: z.boolean(),
  inviteOnlySignup: z.boolean(),
  redisConfigured: z.boolean(),
  secretScanningConfigured: z.boolean(),
  auditLogStorageDisabled: z.boolean(),
  maxIdentityAccessTokenTTL: z.number(),
})

const Requirement = z.object({
  code: z.string(),
  message: z.string(),
  validationMessage: z.string(),
  isPrimary: z.boolean(),
  patterns: z.array(z.string()),
  flags: z.string(),
  maxConsecutiveCharacters: z.number().optional(),
  shouldMatch: z.boolean(),
})

const PublicSettings = z.object({
  id: z.string(),
  initialized: z.boolean(),
  allowSignUp: z.boolean(),
  allowedSignUpDomain: z.string().nullable(),
  defaultAuthOrgId: z.string().nullable(),
  defaultAuthOrgSlug: z.string().nullable(),
  defaultAuthOrgAuthEnforced: z.boolean(),
  defaultAuthOrgAuthMethod: z.string().nullable(),
  enabledLoginMethods: z.array(z.string()).nullable(),
  passwordPolicy: z.object({ requirements: z.array(Requirement) }),
  authConsentContent: z.string().nullable(),
  pageFrameContent: z.string().nullable(),
  isPublicSecretSharingDisabled: z.boolean(),
  licenseServerV2Enabled: z.boolean(),
  isCrossProjectSecretSharingEnabled: z.boolean(),
  isClickhouseAuditLogEnabled: z.boolean(),
  latestAvailableVersion: z.string().nullable(),
})
const AdminSettings = z.object({
  instanceId: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  adminIdentityIds: z.array(z.string()),
  fipsEnabled: z.boolean(),
  trustSamlEmails: z.boolean(),
  trustLdapEmails: z.boolean(),
  trustOidcEmails: z.boolean(),
  onboardingCompleted: z.boolean(),
})

export const SettingsAnswer = z.object({ config: PublicSettings.extend(AdminSettings.partial().shape) })
type Settings = z.infer<typeof SettingsAnswer>['config']

type Row = {
  instanceId: string
  isInitialized: boolean
  isSignUpAllowed: boolean
  allowedSignUpDomain: string | null
  enabledLoginMethods: string[] | null
  defaultOrganizationId: string | null
  defaultOrganizationSlug: string | null
  consentContent: string | null
  pageFrameContent: string | null
  createdAt: Date
  updatedAt: Date
}

/** With the ids of the administrators, everything; without, what anyone may know. */
export const settingsOnWire = (row: Row, adminIdentityIds: string[] | undefined): Settings => ({
  id: ONLY_ID,
  initialized: row.isInitialized,
  allowSignUp: row.isSignUpAllowed,
  allowedSignUpDomain: row.allowedSignUpDomain,
  defaultAuthOrgId: row.defaultOrganizationId,
  defaultAuthOrgSlug: row.defaultOrganizationSlug,
  defaultAuthOrgAuthEnforced: false,
  defaultAuthOrgAuthMethod: null,
  enabledLoginMethods: row.enabledLoginMethods,
  passwordPolicy: PASSWORD_POLICY,
  authConsentContent: row.consentContent,
  pageFrameContent: row.pageFrameContent,
  isPublicSecretSharingDisabled: true,
  licenseServerV2Enabled: false,
  isCrossProjectSecretSharingEnabled: false,
  isClickhouseAuditLogEnabled: false,
  latestAvailableVersion: null,
  ...(adminIdentityIds && { ...FIXED_FOR_ADMINS, ...dates(row), instanceId: row.instanceId, adminIdentityIds }),
})

const FIXED_FOR_ADMINS = {
  fipsEnabled: false,
  trustSamlEmails: false,
  trustLdapEmails: false,
  trustOidcEmails: false,
  onboardingCompleted: true,
}
const dates = ({ createdAt, updatedAt }: Row) => ({ createdAt, updatedAt })

const Content = z.string().max(CONTENT_LENGTH_MAX).nullable().optional()

export const SettingsChanges = z.object({
  allowSignUp: z.boolean().optional(),
  allowedSignUpDomain: z.string().trim().max(1_000).nullable().optional(),
  enabledLoginMethods: z.array(z.enum(LOGIN_METHODS)).min(1).max(LOGIN_METHODS.length).optional(),
  defaultAuthOrgId: z.string().max(100).nullable().optional(),
  authConsentContent: Content,
  pageFrameContent: Content,
})

export const Bootstrap = z.object({
  email: Email,
  password: AnyPassword,
  organization: z.string().trim().min(1).max(255),
})

export const BootstrapAnswer = z.object({
  message: z.string(),
  user: z.object({
    id: z.string(),
    username: z.string(),
    firstName: z.string().nullable(),
    lastName: z.string().nullable(),
    email: z.string(),
    superAdmin: z.boolean(),
  }),
  organization: z.object({ id: z.string(), name: z.string(), slug: z.string() }),
  identity: z.object({ id: z.string(), name: z.string(), credentials: z.object({ token: z.string() }) }),
})

export const AdminSignUp = z.object({
  email: Email,
  password: NewPassword,
  firstName: FirstName,
  lastName: LastName.optional(),
  organizationName: OrganizationName.default('Admin Org'),
})

export const AdminSignUpAnswer = z.object({
  message: z.string(),
  user: z.object({
    username: z.string(),
    email: z.string(),
    isEmailVerified: z.boolean(),
    firstName: z.string().nullable(),
    lastName: z.string().nullable(),
    authMethods: z.array(z.string()),
    id: z.string(),
    publicKey: z.null(),
  }),
  organization: Organization,
  token: z.string(),
  // wire: clients decode it and never look at it.
  new: z.literal('123'),
})
