import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { z } from 'zod'
import { badRequest } from '../../lib/app-error.ts'
import { isUuid } from '../../lib/uuid.ts'

export const EVENT_SUBSCRIPTIONS = 'event-subscriptions'
export const EVERY_ORGANIZATION = '*'
/** A licence with every field at its longest has some 2,500. */
export const TOKEN_CHARACTERS_MAX = 4_096

export type License = {
  id: string
  licensee: string
  /** Undefined: for every organization. */
  organizationId: string | undefined
  features: readonly string[]
  /** Null: as many as there are. It is said, not enforced. */
  seats: number | null
  /** Milliseconds since 1970; it holds from the start, and no longer at the end. */
  startsAt: number
  endsAt: number
}

/** Public keys by the id that tokens name them by. */
export type TrustedKeys = ReadonlyMap<string, KeyObject>

const HEADER_TYPE = 'holdfast-license'
const PUBLIC_KEY = /^[A-Za-z0-9_-]{43}$/
const SECONDS_MAX = 253_402_300_799

const Header = z.object({ alg: z.literal('EdDSA'), typ: z.literal(HEADER_TYPE), kid: z.string().max(100) })

const seconds = z.number().int().min(0).max(SECONDS_MAX)
const Claims = z
  .object({
    jti: z.string().refine(isUuid),
    licensee: z.string().trim().min(1).max(200),
    organization: z.string().refine((text) => text === EVERY_ORGANIZATION || isUuid(text)),
    features: z.array(z.string().min(1).max(50)).min(1).max(20),
    seats: z.number().int().min(1).max(1_000_000_000).nullable(),
    nbf: seconds,
    exp: seconds,
  })
  .refine(({ nbf, exp }) => nbf < exp)

export const isPublicKey = (text: string): boolean => PUBLIC_KEY.test(text)

/** A public key as the configuration holds it: its 32 bytes in base64url. */
export const publicKeyText = (key: KeyObject): string => key.export({ format: 'jwk' }).x ?? ''

export const trustedKeys = (texts: readonly string[]): TrustedKeys =>
  new Map(
    texts.map((x) => [keyId(x), createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })] as const),
  )

const keyId = (publicKey: string): string => createHash('sha256').update(publicKey).digest('hex').slice(0, 16)

/** The text of a licence, signed. Throws when it says what no licence can say. */
export const issueLicense = (license: License, privateKey: KeyObject): string => {
  const claims = Claims.safeParse({
    jti: license.id,
    licensee: license.licensee,
    organization: license.organizationId ?? EVERY_ORGANIZATION,
    features: license.features,
    seats: license.seats,
    nbf: Math.floor(license.startsAt / 1000),
    exp: Math.floor(license.endsAt / 1000),
  })
  if (!claims.success)
    throw badRequest(`A licence cannot have this ${String(claims.error.issues[0]?.path[0] ?? 'end')}`)
  const header = { alg: 'EdDSA', typ: HEADER_TYPE, kid: keyId(publicKeyText(createPublicKey(privateKey))) }
  const signed = `${encode(header)}.${encode(claims.data)}`
  return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`
}

/** What a licence says, if one of these keys signed it. Whether its time has come or is over, others decide. */
export const verifyLicense = (token: string, keys: TrustedKeys): License => {
  const { kid, signed, signature, license } = parse(token)
  const key = keys.get(kid)
  if (!key) throw badRequest('The licence is not signed by a key that HOLDFAST_LICENSE_PUBLIC_KEYS names')
  if (!verify(null, Buffer.from(signed), key, signature)) {
    throw badRequest('The licence is not as it was signed: its signature is wrong')
  }
  return license
}

/** What a licence says of itself, whoever signed it. */
export const readLicense = (token: string): License & { keyId: string } => {
  const { license, kid } = parse(token)
  return { ...license, keyId: kid }
}

const parse = (token: string) => {
  const [header = '', payload = '', signature = '', ...rest] =
    token.length <= TOKEN_CHARACTERS_MAX ? token.split('.') : []
  const head = Header.safeParse(decode(header))
  const claims = Claims.safeParse(decode(payload))
  const bytes = Buffer.from(signature, 'base64url')
  const isExact = rest.length === 0 && bytes.length === 64 && bytes.toString('base64url') === signature
  if (!isExact || !head.success || !claims.success) throw badRequest('This is not a licence: its text is malformed')
  return {
    kid: head.data.kid,
    signed: `${header}.${payload}`,
    signature: bytes,
    license: licenseOf(claims.data),
  }
}

const licenseOf = ({ jti, organization, nbf, exp, ...others }: z.infer<typeof Claims>): License => ({
  id: jti,
  organizationId: organization === EVERY_ORGANIZATION ? undefined : organization,
  startsAt: nbf * 1000,
  endsAt: exp * 1000,
  ...others,
})

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

const decode = (text: string): unknown => {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    return undefined
  }
}
