import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Outbound } from '../../platform/outbound/outbound.ts'
import { OutboundError } from '../../platform/outbound/outbound-error.ts'
import { LoginRefusal, type RefusalReason } from './login-refusal.ts'
import { parseKeySet, type SigningKey, STORABLE } from './signing-keys.ts'

/** Where an OpenID provider describes itself, and who vouches for its certificate; empty: whoever the system trusts. */
export type Provider = { discoveryUrl: string; caCertificate: string }

export type ProviderDocuments = { issuer: string; keys: SigningKey[]; maxAgeSeconds: number | undefined }

const ISSUER_LENGTH_MAX = 1_000
const Discovery = z.object({
  issuer: z.string().max(ISSUER_LENGTH_MAX).regex(STORABLE).catch(''),
  jwks_uri: z.string(),
})

export const providerIdOf = ({ discoveryUrl, caCertificate }: Provider): Buffer =>
  createHash('sha256').update(`${discoveryUrl}\0${caCertificate}`).digest()

/** Throws a `LoginRefusal` unless the provider answers as it should. */
export const fetchDocuments = async (outbound: Outbound, provider: Provider): Promise<ProviderDocuments> => {
  const ca = provider.caCertificate === '' ? undefined : provider.caCertificate
  const get = async (url: string, reason: RefusalReason) => {
    try {
      return await outbound.getJson(url, { ca })
    } catch (error) {
      throw failureOf(error, reason)
    }
  }
  const discovery = await get(documentUrlOf(provider), 'discovery_document_fetch_failed')
  const { issuer, jwks_uri: keysUrl } = readDiscovery(discovery.body, provider)

  const { body, maxAgeSeconds } = await get(keysUrl, 'signing_keys_retrieval_failed')
  const keys = parseKeySet(body)
  if (!keys) throw new LoginRefusal('signing_keys_retrieval_failed', FAILED)
  if (keys.length === 0) throw new LoginRefusal('no_signing_keys', 'The identity provider has no usable keys')
  return { issuer, keys, maxAgeSeconds }
}

const FAILED = 'The identity provider does not answer as it should'

const documentUrlOf = ({ discoveryUrl }: Provider): string => {
  const url = new URL(discoveryUrl)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/.well-known/openid-configuration`
  url.hash = ''
  return url.href
}

const readDiscovery = (body: unknown, { discoveryUrl }: Provider) => {
  const { data } = Discovery.safeParse(body)
  // Keys that came in the clear are not worth more because the way to them did not.
  const isDowngrade = new URL(discoveryUrl).protocol === 'https:' && !/^https:/i.test(data?.jwks_uri ?? '')
  if (!data || isDowngrade) throw new LoginRefusal('missing_jwks_uri', FAILED)
  return data
}

/** Not a place to go to: the configuration is wrong, and not just for now. */
const failureOf = (cause: unknown, reason: RefusalReason): unknown => {
  if (!(cause instanceof OutboundError)) return cause
  return cause.failure === 'refused'
    ? new LoginRefusal(reason, `The identity provider cannot be asked: ${cause.message}`, {
        kind: 'bad-request',
        cause,
      })
    : new LoginRefusal(reason, FAILED, { cause })
}
