import { z } from 'zod'
import { Timestamp } from '../../platform/http/wire-types.ts'
import {
  changedTtlWithinMaximum,
  newTokenSettings,
  tokenSettingsChanges,
  tokenSettingsFrom,
  tokenSettingsOnWire,
  tokenSettingsRecord,
  ttlWithinMaximum,
} from '../access-tokens/method-settings.schemas.ts'
import type { TokenSettings } from '../access-tokens/method-settings.ts'

export type NewTokenAuth = z.output<typeof NewTokenAuth>
export const NewTokenAuth = z
  .object(newTokenSettings)
  .refine(...ttlWithinMaximum)
  .transform(tokenSettingsFrom)

export type ChangedTokenAuth = z.output<typeof ChangedTokenAuth>
export const ChangedTokenAuth = z
  .object(tokenSettingsChanges)
  .refine(...changedTtlWithinMaximum)
  .transform(tokenSettingsFrom)

export const TokenAuthAnswer = z.object({
  identityTokenAuth: z.object({
    id: z.uuid(),
    ...tokenSettingsRecord,
    accessTokenPeriod: z.number(),
    identityId: z.uuid(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
})

type Config = Omit<TokenSettings, 'tokenPeriodSeconds'> & {
  id: string
  identityId: string
  createdAt: Date
  updatedAt: Date
}

export const tokenAuthAnswer = ({ id, identityId, createdAt, updatedAt, ...settings }: Config) => ({
  identityTokenAuth: {
    id,
    ...tokenSettingsOnWire(settings),
    // wire: tokens of this method are never periodic.
    accessTokenPeriod: 0,
    identityId,
    createdAt,
    updatedAt,
  },
})

/** The audit log speaks the words of the wire. */
export const settingsForAudit = tokenSettingsOnWire
