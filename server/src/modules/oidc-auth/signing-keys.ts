import { z } from 'zod'
import { LoginRefusal } from './login-refusal.ts'

/** One of a provider's public keys: one that signs and is understood here, with nothing else about it. */
export type SigningKey = z.output<typeof SigningKey>

/** RSA keys of up to 8192 bits. */
const MODULUS_LENGTH_MAX = 1_366
const EXPONENT_LENGTH_MAX = 11
const COORDINATE_LENGTH_MAX = 88
const KID_LENGTH_MAX = 1_024
/** More than any provider has at a time. */
const KEYS_MAX = 50
/** PostgreSQL keeps neither a NUL nor half of a surrogate pair. */
export const STORABLE = /^[^\0\p{Surrogate}]*$/u

const RSA_ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const
const ALGORITHM_BY_CURVE = { 'P-256': 'ES256', 'P-384': 'ES384', 'P-521': 'ES512' } as const
const EDWARDS_ALGORITHMS = ['EdDSA', 'Ed25519'] as const

/** All that a JWT may be signed with. Nothing that uses a shared secret, and not nothing. */
export const ALGORITHMS: readonly string[] = [
  ...RSA_ALGORITHMS,
  ...Object.values(ALGORITHM_BY_CURVE),
  ...EDWARDS_ALGORITHMS,
]

const number = (lengthMax: number) =>
  z
    .string()
    .max(lengthMax)
    .regex(/^[A-Za-z0-9_-]+$/)

const purpose = {
  kid: z.string().max(KID_LENGTH_MAX).regex(STORABLE).exactOptional(),
  use: z.literal('sig').exactOptional(),
  key_ops: z
    .array(z.string())
    .refine((operations) => operations.includes('verify'))
    .exactOptional(),
}

const SigningKey = z.discriminatedUnion('kty', [
  z.object({
    kty: z.literal('RSA'),
    ...purpose,
    alg: z.enum(RSA_ALGORITHMS).exactOptional(),
    n: number(MODULUS_LENGTH_MAX),
    e: number(EXPONENT_LENGTH_MAX),
  }),
  z.object({
    kty: z.literal('EC'),
    ...purpose,
    alg: z.enum(ALGORITHM_BY_CURVE).exactOptional(),
    crv: z.enum(['P-256', 'P-384', 'P-521']),
    x: number(COORDINATE_LENGTH_MAX),
    y: number(COORDINATE_LENGTH_MAX),
  }),
  z.object({
    kty: z.literal('OKP'),
    ...purpose,
    alg: z.enum(EDWARDS_ALGORITHMS).exactOptional(),
    crv: z.literal('Ed25519'),
    x: number(COORDINATE_LENGTH_MAX),
  }),
])

const KeySet = z.object({ keys: z.array(z.unknown()) })

/** Undefined when it is no set of keys at all. Keys of other kinds, and for other purposes, are left out. */
export const parseKeySet = (document: unknown): SigningKey[] | undefined =>
  KeySet.safeParse(document)
    .data?.keys.slice(0, KEYS_MAX)
    .flatMap((key) => SigningKey.safeParse(key).data ?? [])

/** The key says what it may be used with; the JWT has no say in it. */
export const algorithmsOf = (key: SigningKey): string[] => {
  const fitting = fittingAlgorithms(key)
  return key.alg === undefined ? [...fitting] : fitting.filter((algorithm) => algorithm === key.alg)
}

const fittingAlgorithms = (key: SigningKey): readonly string[] => {
  switch (key.kty) {
    case 'RSA':
      return RSA_ALGORITHMS
    case 'EC':
      return [ALGORITHM_BY_CURVE[key.crv]]
    case 'OKP':
      return EDWARDS_ALGORITHMS
  }
}

/** The key that a JWT names; undefined when there is none such. Without a name there must be no choice. */
export const pickKey = (
  keys: readonly SigningKey[],
  { kid, alg }: { kid: string | undefined; alg: string },
): SigningKey | undefined => {
  if (kid !== undefined) {
    const named = keys.filter((key) => key.kid === kid)
    return named.find((key) => algorithmsOf(key).includes(alg)) ?? named[0]
  }
  if (keys.length > 1) {
    throw new LoginRefusal('too_many_signing_keys', 'The JWT does not say which of several keys it was signed with')
  }
  return keys[0]
}
