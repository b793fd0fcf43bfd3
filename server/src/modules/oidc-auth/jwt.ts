import { ALGORITHMS, algorithmsOf, type SigningKey } from './signing-keys.ts'
import type { Claims } from './bound-claims.ts'
import { LoginRefusal } from './login-refusal.ts'

/** A JWT whose signature nobody has looked at: what it says is only good for finding the key. */
export type PresentedJwt = { text: string; alg: string; kid: string | undefined; issuer: unknown }

type Expected = { issuer: string; nowMs: number }

/** Lists and objects inside the claims; deeply nested ones overflow what handles them later. */
const NESTED_MAX = 1_000

export const readJwt = async (text: string): Promise<PresentedJwt> => {
  if (countNested(text.split('.')[1] ?? '') > NESTED_MAX) throw malformed()
  const { decodeProtectedHeader } = await import('jose/decode/protected_header')
  const { decodeJwt } = await import('jose/jwt/decode')
  const { alg, kid, iss } = unlessMalformed(() => ({ ...decodeProtectedHeader(text), iss: decodeJwt(text).iss }))
  if (kid !== undefined && typeof kid !== 'string') throw malformed()
  if (typeof alg !== 'string' || !ALGORITHMS.includes(alg)) {
    throw new LoginRefusal('jwt_verification_failed', 'The JWT is signed with an algorithm that is not accepted')
  }
  return { text, alg, kid, issuer: iss }
}

/** The claims, if the key signed them, the issuer is the right one and now is within their time. */
export const verifyJwt = async (
  { text }: PresentedJwt,
  key: SigningKey,
  { issuer, nowMs }: Expected,
): Promise<Claims> => {
  const { jwtVerify } = await import('jose/jwt/verify')
  try {
    const { payload } = await jwtVerify(text, key, {
      algorithms: algorithmsOf(key),
      issuer,
      currentDate: new Date(nowMs),
      requiredClaims: ['exp'],
    })
    return payload
  } catch (cause) {
    const message = 'The JWT has expired, is not valid yet, or was not signed by its issuer'
    throw new LoginRefusal('jwt_verification_failed', message, { cause })
  }
}

const OPEN_BRACKET = 0x5b
const OPEN_BRACE = 0x7b

const countNested = (payload: string): number => {
  let count = 0
  for (const byte of Buffer.from(payload, 'base64url')) if (byte === OPEN_BRACKET || byte === OPEN_BRACE) count++
  return count
}

const unlessMalformed = <T>(decode: () => T): T => {
  try {
    return decode()
  } catch {
    throw malformed()
  }
}

const malformed = () => new LoginRefusal('invalid_jwt', 'The JWT is malformed')
