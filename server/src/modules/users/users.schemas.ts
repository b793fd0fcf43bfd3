import { z } from 'zod'
import { NullableTimestamp, Timestamp } from '../../platform/http/wire-types.ts'
import { passwordFaults } from './password-policy.ts'

const NAME_LENGTH_MAX = 255
const EMAIL_LENGTH_MAX = 254
const PASSWORD_BYTES_MAX = 1_024

export const Email = z.string().trim().max(EMAIL_LENGTH_MAX).pipe(z.email())

/** A password that is only compared, or that somebody else is answerable for. */
export const AnyPassword = z.string().trim().min(1).max(PASSWORD_BYTES_MAX)

/** A new password. Trimmed like any other, or it could never be typed again. */
export const NewPassword = z
  .string()
  .trim()
  .superRefine((password, context) => {
    for (const message of passwordFaults(password)) context.addIssue({ code: 'custom', message })
  })

export const FirstName = z.string().trim().min(1).max(NAME_LENGTH_MAX)
export const LastName = z.string().trim().max(NAME_LENGTH_MAX)

export const NewNames = z.object({ firstName: FirstName, lastName: LastName })

const User = z.object({
  id: z.string(),
  email: z.string(),
  authMethods: z.array(z.string()),
  superAdmin: z.boolean(),
  firstName: z.string().nullable(),
  lastName: z.string().nullable(),
  isAccepted: z.boolean(),
  isMfaEnabled: z.boolean(),
  devices: z.null(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  isGhost: z.boolean(),
  username: z.string(),
  isEmailVerified: z.boolean(),
  consecutiveFailedMfaAttempts: z.number(),
  isLocked: z.boolean(),
  temporaryLockDateEnd: NullableTimestamp,
  consecutiveFailedPasswordAttempts: z.number(),
  selectedMfaMethod: z.string().nullable(),
  isGoogleVerified: z.boolean(),
  isGitHubVerified: z.boolean(),
  isGitLabVerified: z.boolean(),
  lastSeenAnnouncementId: z.string().nullable(),
  encryptionVersion: z.number(),
})
type User = z.infer<typeof User>

/** wire: of an encryption in the browser that there is no more; clients expect the keys. */
const FormerKeys = z.object({
  clientPublicKey: z.null(),
  serverPrivateKey: z.null(),
  protectedKey: z.null(),
  protectedKeyIV: z.null(),
  protectedKeyTag: z.null(),
  publicKey: z.null(),
  encryptedPrivateKey: z.null(),
  iv: z.null(),
  tag: z.null(),
  salt: z.null(),
  verifier: z.null(),
})

export const UserAnswer = z.object({ user: User })
export const CurrentUserAnswer = z.object({ user: User.extend({ mfaMethods: z.null(), ...FormerKeys.shape }) })

const FIXED = {
  authMethods: ['email'],
  isMfaEnabled: false,
  devices: null,
  isGhost: false,
  consecutiveFailedMfaAttempts: 0,
  isLocked: false,
  temporaryLockDateEnd: null,
  consecutiveFailedPasswordAttempts: 0,
  selectedMfaMethod: null,
  isGoogleVerified: false,
  isGitHubVerified: false,
  isGitLabVerified: false,
  lastSeenAnnouncementId: null,
  // wire: two stands for an account whose password the server checks.
  encryptionVersion: 2,
}

export const FORMER_KEYS = {
  mfaMethods: null,
  clientPublicKey: null,
  serverPrivateKey: null,
  protectedKey: null,
  protectedKeyIV: null,
  protectedKeyTag: null,
  publicKey: null,
  encryptedPrivateKey: null,
  iv: null,
  tag: null,
  salt: null,
  verifier: null,
}

type Row = Pick<
  User,
  'id' | 'email' | 'username' | 'firstName' | 'lastName' | 'isAccepted' | 'isEmailVerified' | 'createdAt' | 'updatedAt'
> & { isInstanceAdmin: boolean }

export const userOnWire = ({ isInstanceAdmin, ...row }: Row): User => ({
  ...FIXED,
  ...row,
  superAdmin: isInstanceAdmin,
})
