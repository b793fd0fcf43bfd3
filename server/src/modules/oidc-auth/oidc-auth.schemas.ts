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
import { joinAlternatives } from './bound-claims.ts'

const TEXT_LENGTH_MAX = 255
const ALTERNATIVES_LENGTH_MAX = 4_096
const CLAIMS_MAX = 100
/** A few certificates. */
const CERTIFICATE_LENGTH_MAX = 65_536

const Text = z.string().max(TEXT_LENGTH_MAX)
const DiscoveryUrl = z
  .url()
  .max(TEXT_LENGTH_MAX)
  .describe('Where the provider describes itself, without `/.well-known/openid-configuration`')
const CaCertificate = z
  .string()
  .trim()
  .max(CERTIFICATE_LENGTH_MAX)
  .describe('Certificates in PEM of the authority behind a private provider; empty is a public one')
const BoundIssuer = Text.min(1).describe('The issuer of the JWT, exactly')
const BoundAudiences = Text.trim()
  .transform(joinAlternatives)
  .describe('Comma-separated: an audience of the JWT must be one of these, or match it as a glob; empty is any')
const BoundSubject = Text.describe('The subject of the JWT, or a glob that matches all of it; empty is any')

const claims = (description: string) =>
  z
    .record(z.string().min(1).max(TEXT_LENGTH_MAX), z.string().max(ALTERNATIVES_LENGTH_MAX).transform(joinAlternatives))
    .refine((record) => Object.keys(record).length <= CLAIMS_MAX, `At most ${CLAIMS_MAX} claims can be named`)
    .describe(description)
const BoundClaims = claims(
  'Path of a claim, dots leading into objects, to what it must be: comma-separated texts or globs, of which one must match the value, or one value of a list',
)
const ClaimMetadataMapping = claims('Name under which rules find a claim of the JWT, to the path of that claim')

export type NewOidcAuth = z.output<typeof NewOidcAuth>
export const NewOidcAuth = z
  .object({
    oidcDiscoveryUrl: DiscoveryUrl,
    caCert: CaCertificate.default(''),
    boundIssuer: BoundIssuer,
    boundAudiences: BoundAudiences.default(''),
    boundClaims: BoundClaims,
    claimMetadataMapping: ClaimMetadataMapping.optional(),
    boundSubject: BoundSubject.default(''),
    ...newTokenSettings,
  })
  .refine(...ttlWithinMaximum)
  .transform((body) => settingsFrom(body))

export type ChangedOidcAuth = z.output<typeof ChangedOidcAuth>
export const ChangedOidcAuth = z
  .object({
    oidcDiscoveryUrl: DiscoveryUrl.optional(),
    caCert: CaCertificate.optional(),
    boundIssuer: BoundIssuer.optional(),
    boundAudiences: BoundAudiences.optional(),
    boundClaims: BoundClaims.optional(),
    claimMetadataMapping: ClaimMetadataMapping.optional(),
    boundSubject: BoundSubject.optional(),
    ...tokenSettingsChanges,
  })
  .refine(...changedTtlWithinMaximum)
  .transform((body) => settingsFrom(body))

type Claims = Record<string, string>

type Body = Parameters<typeof tokenSettingsFrom>[0] & {
  oidcDiscoveryUrl?: string | undefined
  caCert?: string | undefined
  boundIssuer?: string | undefined
  boundAudiences?: string | undefined
  boundClaims?: Claims | undefined
  claimMetadataMapping?: Claims | undefined
  boundSubject?: string | undefined
}

/** From the words of the wire to those of the house. */
const settingsFrom = <B extends Body>(body: B) => ({
  ...tokenSettingsFrom(body),
  discoveryUrl: body.oidcDiscoveryUrl as B['oidcDiscoveryUrl'],
  caCertificate: body.caCert as B['caCert'],
  boundIssuer: body.boundIssuer as B['boundIssuer'],
  boundAudiences: body.boundAudiences as B['boundAudiences'],
  boundClaims: body.boundClaims as B['boundClaims'],
  claimMetadataMapping: body.claimMetadataMapping,
  boundSubject: body.boundSubject as B['boundSubject'],
})

const record = {
  id: z.uuid(),
  ...tokenSettingsRecord,
  identityId: z.uuid(),
  oidcDiscoveryUrl: z.string(),
  boundIssuer: z.string(),
  boundAudiences: z.string(),
  boundClaims: z.record(z.string(), z.string()),
  claimMetadataMapping: z.record(z.string(), z.string()).nullable(),
  boundSubject: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
}

export const OidcAuthAnswer = z.object({ identityOidcAuth: z.object({ ...record, caCert: z.string() }) })
export const DetachedOidcAuthAnswer = z.object({ identityOidcAuth: z.object(record) })

type Settings = Omit<TokenSettings, 'tokenPeriodSeconds'> & {
  discoveryUrl: string
  boundIssuer: string
  boundAudiences: string
  boundClaims: Claims
  claimMetadataMapping: Claims | null
  boundSubject: string
}
type Config = Settings & { id: string; identityId: string; createdAt: Date; updatedAt: Date }

/** The audit log speaks the words of the wire. It keeps no certificate, which is sealed elsewhere. */
export const settingsForAudit = (settings: Settings) => ({
  ...tokenSettingsOnWire(settings),
  oidcDiscoveryUrl: settings.discoveryUrl,
  boundIssuer: settings.boundIssuer,
  boundAudiences: settings.boundAudiences,
  boundClaims: settings.boundClaims,
  claimMetadataMapping: settings.claimMetadataMapping,
  boundSubject: settings.boundSubject,
})

export const detachedOidcAuthAnswer = ({ id, identityId, createdAt, updatedAt, ...settings }: Config) => ({
  identityOidcAuth: { id, identityId, ...settingsForAudit(settings), createdAt, updatedAt },
})

export const oidcAuthAnswer = ({ caCertificate, ...config }: Config & { caCertificate: string }) => ({
  identityOidcAuth: { ...detachedOidcAuthAnswer(config).identityOidcAuth, caCert: caCertificate },
})
