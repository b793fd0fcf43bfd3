import type { Claims } from './bound-claims.ts'
import { isSignedBy } from './jwt-signature.ts'
import { LoginRefusal } from './login-refusal.ts'
import { ALGORITHMS, type SigningKey } from './signing-keys.ts'

/** A JWT whose signature nobody has looked at: what it says is only good for finding the key. */
export type PresentedJwt = {
  alg: string
  kid: string | undefined
  issuer: unknown
  claims: Claims
  /** What is signed. */
  input: string
  signature: Buffer
}

type Expected = { issuer: string; nowMs: number }

/** Lists and objects inside the claims; deeply nested ones overflow what handles them later. */
const NESTED_MAX = 1_000

export const readJwt = (text: string): PresentedJwt => {
  const [header, payload, signature, ...rest] = text.split('.', 4)
  if (!header || !payload || !signature || rest.length > 0) throw malformed()
  const { alg, kid, crit } = readObject(header)
  const claims = readObject(payload)
  if (kid !== undefined && typeof kid !== 'string') throw malformed()
  if (typeof alg !== 'string' || !ALGORITHMS.includes(alg)) {
    throw notVerified('The JWT is signed with an algorithm that is not accepted')
  }
  // RFC 7515 4.1.11: what is not understood, and nothing is, must not be accepted.
  if (crit !== undefined) throw notVerified('The JWT demands an extension that is not known')
  return { alg, kid, issuer: claims['iss'], claims, input: `${header}.${payload}`, signature: readBytes(signature) }
}

/** The claims, if the key signed them, the issuer is the right one and now is within their time. */
export const verifyJwt = (jwt: PresentedJwt, key: SigningKey, { issuer, nowMs }: Expected): Claims => {
  if (jwt.issuer !== issuer || !isSignedBy(key, jwt.alg, jwt) || !isWithinTime(jwt.claims, nowMs)) {
    throw notVerified('The JWT has expired, is not valid yet, or was not signed by its issuer')
  }
  return jwt.claims
}

/** An end is required, a beginning is not. */
const isWithinTime = ({ exp, nbf = 0, iat = 0 }: Claims, nowMs: number): boolean => {
  if (!isTime(exp) || !isTime(nbf) || !isTime(iat)) return false
  const nowSeconds = Math.floor(nowMs / 1_000)
  return nbf <= nowSeconds && nowSeconds < exp
}

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

const readObject = (part: string): Record<string, unknown> => {
  const bytes = readBytes(part)
  if (countNested(bytes) > NESTED_MAX) throw malformed()
  try {
    const value: unknown = JSON.parse(bytes.toString())
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // Not JSON: malformed like anything else that is not an object.
  }
  throw malformed()
}

/** Only as an encoder writes it, which leaves no second spelling. */
const readBytes = (part: string): Buffer => {
  const bytes = Buffer.from(part, 'base64url')
  if (bytes.toString('base64url') !== part) throw malformed()
  return bytes
}

const OPEN_BRACKET = 0x5b
const OPEN_BRACE = 0x7b

const countNested = (bytes: Buffer): number => {
  let count = 0
  for (const byte of bytes) if (byte === OPEN_BRACKET || byte === OPEN_BRACE) count++
  return count
}

const malformed = () => new LoginRefusal('invalid_jwt', 'The JWT is malformed')
const notVerified = (message: string) => new LoginRefusal('jwt_verification_failed', message)
