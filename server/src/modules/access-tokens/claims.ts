import { z } from 'zod'
import { unauthenticated } from '../../lib/app-error.ts'
import { type LifetimeSettings, statedLifetime } from './lifetime.ts'

/** The value of `authTokenType` by which the token of a machine identity is known. Clients look for it. */
export const IDENTITY_TOKEN_TYPE = 'identityAccessToken'

/** A token of a machine identity, as its claims tell. */
export type IdentityToken = {
  id: string
  identityId: string
  identityName: string
  organizationId: string
  authMethod: string
  /** Of the client secret it was given for, if that is how it was obtained. */
  clientSecretId: string | undefined
  /** Zero: no limit. */
  usesLimit: number
  /** What the login method learned about the caller. */
  identityAuth: Record<string, unknown>
  isIpRestricted: boolean
  /** When the first token with this id was made; renewals keep it. */
  createdAtSeconds: number
}

const Claims = z.object({
  jti: z.guid(),
  identityAccessTokenId: z.guid(),
  identityId: z.guid(),
  identityName: z.string(),
  orgId: z.guid(),
  authMethod: z.string(),
  clientSecretId: z.union([z.guid(), z.literal('')]),
  numUsesLimit: z.int().min(0).default(0),
  identityAuth: z.record(z.string(), z.unknown()),
  ipRestrictionEnabled: z.boolean(),
  creationEpoch: z.int(),
  authTokenType: z.literal(IDENTITY_TOKEN_TYPE),
})

/** The names inside the JWT are part of the interface: clients decode some of them. */
export const claimsOf = (token: IdentityToken, settings: LifetimeSettings): Record<string, unknown> => {
  const { ttlSeconds, maxTtlSeconds, periodSeconds } = statedLifetime(settings)
  return {
    identityId: token.identityId,
    identityName: token.identityName,
    authMethod: token.authMethod,
    orgId: token.organizationId,
    rootOrgId: token.organizationId,
    parentOrgId: token.organizationId,
    clientSecretId: token.clientSecretId ?? '',
    identityAccessTokenId: token.id,
    jti: token.id,
    ipRestrictionEnabled: token.isIpRestricted,
    accessTokenTTL: ttlSeconds,
    accessTokenMaxTTL: maxTtlSeconds,
    accessTokenPeriod: periodSeconds,
    creationEpoch: token.createdAtSeconds,
    authTokenType: IDENTITY_TOKEN_TYPE,
    identityAuth: token.identityAuth,
    ...(token.usesLimit > 0 && { numUsesLimit: token.usesLimit }),
  }
}

/** Claims are the same object for each use of a token, so they are read at its first. */
const known = new WeakMap<object, IdentityToken>()

/** Throws unless the claims, whose signature is known to be ours, are those of an identity's token. */
export const readClaims = (claims: Readonly<Record<string, unknown>>): IdentityToken => {
  let token = known.get(claims)
  if (!token) known.set(claims, (token = parse(claims)))
  return token
}

const parse = (claims: Readonly<Record<string, unknown>>): IdentityToken => {
  const { success, data } = Claims.safeParse(claims)
  if (!success || data.jti !== data.identityAccessTokenId) {
    throw unauthenticated('The access token does not say what a token of a machine identity must say')
  }
  return {
    id: data.jti,
    identityId: data.identityId,
    identityName: data.identityName,
    organizationId: data.orgId,
    authMethod: data.authMethod,
    clientSecretId: data.clientSecretId === '' ? undefined : data.clientSecretId,
    usesLimit: data.numUsesLimit,
    identityAuth: data.identityAuth,
    isIpRestricted: data.ipRestrictionEnabled,
    createdAtSeconds: data.creationEpoch,
  }
}
