import { z } from 'zod'
import { NullableTimestamp, Timestamp } from '../../platform/http/wire-types.ts'
import { RoleSlug } from '../organizations/members.schemas.ts'
import { OrganizationName } from '../organizations/organizations.schemas.ts'
import { AnyPassword, Email, FirstName, LastName, NewPassword } from '../users/users.schemas.ts'

const INVITED_MAX = 100
const PROJECTS_MAX = 5

/** Not checked for its form: what is no address is nobody's. */
const TypedEmail = z.string().trim().max(254)

export const Credentials = z.object({ email: TypedEmail, password: AnyPassword })
export const OlderCredentials = z.object({ email: TypedEmail, clientPublicKey: z.string().max(10_000) })
export const SelectedOrganization = z.object({
  organizationId: z.string().trim().max(100),
  userAgent: z.literal('cli').optional(),
})
export const SignUpRequest = z.object({ email: Email })

export const Message = z.object({ message: z.string() })
export const LoginAnswer = z.object({ accessToken: z.string() })
export const SelectionAnswer = z.object({ token: z.string(), isMfaEnabled: z.literal(false) })
export const RefreshAnswer = z.object({ token: z.string(), organizationId: z.string().optional() })

export const BySessionId = z.object({ sessionId: z.string().describe('Id of the session') })
export const SessionList = z.array(
  z.object({
    id: z.string(),
    ip: z.string(),
    userAgent: z.string(),
    refreshVersion: z.number(),
    accessVersion: z.number(),
    lastUsed: Timestamp,
    createdAt: Timestamp,
    updatedAt: Timestamp,
    userId: z.string(),
  }),
)

export const Invitation = z.object({
  inviteeEmails: z.array(Email).min(1).max(INVITED_MAX),
  organizationId: z.string().trim().max(100),
  organizationRoleSlug: RoleSlug.default('member'),
  projectIds: z.array(z.string().max(100)).max(PROJECTS_MAX).default([]),
})
export const InvitationAnswer = Message.extend({
  completeInviteLinks: z.array(z.object({ email: z.string(), link: z.string() })),
})

export const ShownInvitation = z.object({
  email: Email,
  organizationId: z.string().trim().max(100),
  code: z.string().trim().max(200),
})
export const ShownInvitationAnswer = Message.extend({ token: z.string().optional(), organizationName: z.string() })

export const NewAccount = z.object({
  type: z.literal('email'),
  email: Email,
  firstName: FirstName,
  lastName: LastName.optional(),
  password: NewPassword,
  organizationName: OrganizationName.optional(),
})

export const NewAccountAnswer = Message.extend({
  user: z.object({
    id: z.string(),
    username: z.string(),
    email: z.string(),
    firstName: z.string().nullable(),
    lastName: z.string().nullable(),
    isEmailVerified: z.boolean(),
    isAccepted: z.boolean(),
    createdAt: Timestamp,
    updatedAt: NullableTimestamp,
  }),
  token: z.string(),
})
