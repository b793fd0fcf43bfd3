import { z } from 'zod'
import { TTL_RULE, type TokenSettings } from './method-settings.ts'

const TTL_SECONDS_MAX = 315_360_000
const TTL_SECONDS_DEFAULT = 2_592_000
const TRUSTED_IPS_MAX = 100
/** More than any address with its prefix has. */
const IP_LENGTH_MAX = 100
const EVERYWHERE = [{ ipAddress: '0.0.0.0/0' }, { ipAddress: '::/0' }]

const TrustedIpRequest = z.object({
  ipAddress: z.string().trim().max(IP_LENGTH_MAX).describe('An IPv4 or IPv6 address, or a CIDR range'),
})

const listOf = (entry: typeof TrustedIpRequest) =>
  z
    .array(entry)
    .min(1)
    .max(TRUSTED_IPS_MAX)
    .transform((entries) => entries.map(({ ipAddress }) => ipAddress))

export const TrustedIpList = listOf(TrustedIpRequest)
/** For a body that takes no unknown properties, also not inside an entry. */
export const ClosedTrustedIpList = listOf(TrustedIpRequest.strict())
/** The list that is meant when none is given. */
export const orEverywhere = (list: typeof TrustedIpList) => list.prefault(EVERYWHERE)

const Ttl = z.int().min(0).max(TTL_SECONDS_MAX)
const TokenTtl = Ttl.describe('Lifetime of an access token in seconds; 0 is as long as the maximum allows')
const TokenMaxTtl = Ttl.describe('Age in seconds up to which an access token can be renewed; 0 is no limit')
const UsesLimit = z.int().min(0).describe('Requests that one access token is good for; 0 is no limit')
const TrustedForTokens = TrustedIpList.describe('Where access tokens may be used from')

/** The part of an attach body that all methods share. */
export const newTokenSettings = {
  accessTokenTrustedIps: orEverywhere(TrustedForTokens),
  accessTokenTTL: TokenTtl.default(TTL_SECONDS_DEFAULT),
  accessTokenMaxTTL: TokenMaxTtl.default(TTL_SECONDS_DEFAULT),
  accessTokenNumUsesLimit: UsesLimit.default(0),
}

/** The same for a change of some of them. */
export const tokenSettingsChanges = {
  accessTokenTrustedIps: TrustedForTokens.optional(),
  accessTokenTTL: TokenTtl.optional(),
  accessTokenMaxTTL: TokenMaxTtl.optional(),
  accessTokenNumUsesLimit: UsesLimit.optional(),
}

export const Period = z.int().min(0).describe('Seconds by which a token can be renewed for ever; 0 is not periodic')
export const PeriodChange = Period.max(TTL_SECONDS_MAX)

type Lifetimes = { accessTokenTTL?: number | undefined; accessTokenMaxTTL?: number | undefined }

const onlyWhenFieldsAreValid = (payload: z.core.ParsePayload) => payload.issues.length === 0

/** On attaching, also a maximum of 0 is a maximum: who wants none says 0 twice. */
export const ttlWithinMaximum = [
  ({ accessTokenTTL = 0, accessTokenMaxTTL = 0 }: Lifetimes) => accessTokenTTL <= accessTokenMaxTTL,
  { error: TTL_RULE, when: onlyWhenFieldsAreValid },
] as const

/** In a change, what it names itself must fit together; the rest is compared with what is stored. */
export const changedTtlWithinMaximum = [
  ({ accessTokenTTL = 0, accessTokenMaxTTL = 0 }: Lifetimes) =>
    accessTokenMaxTTL === 0 || accessTokenTTL <= accessTokenMaxTTL,
  { error: TTL_RULE, when: onlyWhenFieldsAreValid },
] as const

type SettingsBody = Lifetimes & {
  accessTokenTrustedIps?: string[] | undefined
  accessTokenNumUsesLimit?: number | undefined
}

/** From the words of the wire to those of the house. */
export const tokenSettingsFrom = <Body extends SettingsBody>(body: Body) => ({
  tokenTtlSeconds: body.accessTokenTTL as Body['accessTokenTTL'],
  tokenMaxTtlSeconds: body.accessTokenMaxTTL as Body['accessTokenMaxTTL'],
  tokenUsesLimit: body.accessTokenNumUsesLimit as Body['accessTokenNumUsesLimit'],
  tokenTrustedIps: body.accessTokenTrustedIps as Body['accessTokenTrustedIps'],
})

export const TrustedIpRecords = z.array(
  z.object({ ipAddress: z.string(), type: z.enum(['ipv4', 'ipv6']), prefix: z.number().optional() }),
)

/** What the record of every method says of its tokens. */
export const tokenSettingsRecord = {
  accessTokenTTL: z.number(),
  accessTokenMaxTTL: z.number(),
  accessTokenNumUsesLimit: z.number(),
  accessTokenTrustedIps: TrustedIpRecords,
}

export const tokenSettingsOnWire = (settings: Omit<TokenSettings, 'tokenPeriodSeconds'>) => ({
  accessTokenTTL: settings.tokenTtlSeconds,
  accessTokenMaxTTL: settings.tokenMaxTtlSeconds,
  accessTokenNumUsesLimit: settings.tokenUsesLimit,
  accessTokenTrustedIps: [...settings.tokenTrustedIps],
})

export const ByIdentityId = z.object({ identityId: z.string().describe('Id of the machine identity') })
