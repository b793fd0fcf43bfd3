import { z } from 'zod'
import { Timestamp } from '../../platform/http/wire-types.ts'
import {
  changedTtlWithinMaximum,
  ClosedTrustedIpList,
  newTokenSettings,
  orEverywhere,
  Period,
  PeriodChange,
  tokenSettingsChanges,
  tokenSettingsFrom,
  tokenSettingsOnWire,
  tokenSettingsRecord,
  TrustedIpList,
  TrustedIpRecords,
  ttlWithinMaximum,
} from '../access-tokens/method-settings.schemas.ts'
import type { TokenSettings } from '../access-tokens/method-settings.ts'
import type { TrustedIp } from '../access-tokens/trusted-ips.ts'
import type { LockoutSettings } from './lockout.ts'

const TRUSTED_FOR_LOGIN = 'Where the client secret may be used from'
const LockoutThreshold = z.number().min(1).max(30).describe('Failed logins that lock the method')
const LockoutDuration = z.number().min(30).max(86_400).describe('Seconds that the lock lasts')
const LockoutReset = z.number().min(5).max(3_600).describe('Seconds after the last failed login until none is counted')

/** wire: shipped clients put these into the otherwise closed body; they mean nothing there. */
const ignored = {
  identityId: z.unknown().optional(),
  clientSecretNumUsesLimit: z.unknown().optional(),
  isClientSecretRotationEnabled: z.unknown().optional(),
}

export type NewUniversalAuth = z.output<typeof NewUniversalAuth>
export const NewUniversalAuth = z
  .strictObject({
    clientSecretTrustedIps: orEverywhere(ClosedTrustedIpList).describe(TRUSTED_FOR_LOGIN),
    ...newTokenSettings,
    accessTokenTrustedIps: orEverywhere(ClosedTrustedIpList).describe('Where access tokens may be used from'),
    accessTokenPeriod: Period.default(0),
    lockoutEnabled: z.boolean().default(true),
    lockoutThreshold: LockoutThreshold.default(3),
    lockoutDurationSeconds: LockoutDuration.default(300),
    lockoutCounterResetSeconds: LockoutReset.default(30),
    ...ignored,
  })
  .refine(...ttlWithinMaximum)
  .transform((body) => ({
    ...tokenSettingsFrom(body),
    tokenPeriodSeconds: body.accessTokenPeriod,
    clientSecretTrustedIps: body.clientSecretTrustedIps,
    lockoutEnabled: body.lockoutEnabled,
    lockoutThreshold: body.lockoutThreshold,
    lockoutDurationSeconds: body.lockoutDurationSeconds,
    lockoutCounterResetSeconds: body.lockoutCounterResetSeconds,
  }))

export type ChangedUniversalAuth = Partial<z.output<typeof ChangedUniversalAuth>>
export const ChangedUniversalAuth = z
  .object({
    clientSecretTrustedIps: TrustedIpList.optional().describe(TRUSTED_FOR_LOGIN),
    ...tokenSettingsChanges,
    accessTokenPeriod: PeriodChange.optional(),
    lockoutEnabled: z.boolean().optional(),
    lockoutThreshold: LockoutThreshold.optional(),
    lockoutDurationSeconds: LockoutDuration.optional(),
    lockoutCounterResetSeconds: LockoutReset.optional(),
  })
  .refine(...changedTtlWithinMaximum)
  .transform((body) => ({
    ...tokenSettingsFrom(body),
    tokenPeriodSeconds: body.accessTokenPeriod,
    clientSecretTrustedIps: body.clientSecretTrustedIps,
    lockoutEnabled: body.lockoutEnabled,
    lockoutThreshold: body.lockoutThreshold,
    lockoutDurationSeconds: body.lockoutDurationSeconds,
    lockoutCounterResetSeconds: body.lockoutCounterResetSeconds,
  }))

export const UniversalAuthAnswer = z.object({
  identityUniversalAuth: z.object({
    id: z.uuid(),
    clientId: z.string(),
    ...tokenSettingsRecord,
    clientSecretTrustedIps: TrustedIpRecords,
    accessTokenPeriod: z.number(),
    lockoutEnabled: z.boolean(),
    lockoutThreshold: z.number(),
    lockoutDurationSeconds: z.number(),
    lockoutCounterResetSeconds: z.number(),
    identityId: z.uuid(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
})

type Settings = TokenSettings & LockoutSettings & { clientSecretTrustedIps: TrustedIp[] }
type Config = Settings & { id: string; clientId: string; identityId: string; createdAt: Date; updatedAt: Date }

const settingsOnWire = (settings: Settings) => ({
  ...tokenSettingsOnWire(settings),
  clientSecretTrustedIps: settings.clientSecretTrustedIps,
  accessTokenPeriod: settings.tokenPeriodSeconds,
  lockoutEnabled: settings.lockoutEnabled,
  lockoutThreshold: settings.lockoutThreshold,
  lockoutDurationSeconds: settings.lockoutDurationSeconds,
  lockoutCounterResetSeconds: settings.lockoutCounterResetSeconds,
})

export const universalAuthAnswer = ({ id, clientId, identityId, createdAt, updatedAt, ...settings }: Config) => ({
  identityUniversalAuth: { id, clientId, ...settingsOnWire(settings), identityId, createdAt, updatedAt },
})

/** The audit log speaks the words of the wire. */
export const settingsForAudit = settingsOnWire
