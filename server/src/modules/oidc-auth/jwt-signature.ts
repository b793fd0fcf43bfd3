import { constants, createPublicKey, type KeyObject, verify, type VerifyKeyObjectInput } from 'node:crypto'
import { algorithmsOf, type SigningKey } from './signing-keys.ts'

/** RFC 7518 3.3: a shorter one must not be used. */
const RSA_BITS_MIN = 2_048

/** How a signature is checked. Null: the algorithm has its digest built in. */
type Method = { digest: string | null; options?: Omit<VerifyKeyObjectInput, 'key'> }

const pkcs1 = (digest: string): Method => ({ digest, options: { padding: constants.RSA_PKCS1_PADDING } })
const pss = (digest: string): Method => ({
  digest,
  options: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
})
/** Two numbers side by side, not the ASN.1 that certificates have. */
const ecdsa = (digest: string): Method => ({ digest, options: { dsaEncoding: 'ieee-p1363' } })

const METHODS: Readonly<Record<string, Method>> = {
  RS256: pkcs1('sha256'),
  RS384: pkcs1('sha384'),
  RS512: pkcs1('sha512'),
  PS256: pss('sha256'),
  PS384: pss('sha384'),
  PS512: pss('sha512'),
  ES256: ecdsa('sha256'),
  ES384: ecdsa('sha384'),
  ES512: ecdsa('sha512'),
  EdDSA: { digest: null },
  Ed25519: { digest: null },
}

/** Made once for each key that is known: that takes longer than to verify. */
const publicKeys = new WeakMap<SigningKey, KeyObject>()

/** The key says what it may be used with: an algorithm that is not among that is no signature at all. */
export const isSignedBy = (
  key: SigningKey,
  alg: string,
  { input, signature }: { input: string; signature: Buffer },
) => {
  const method = METHODS[alg]
  if (!method || !algorithmsOf(key).includes(alg)) return false
  try {
    const publicKey = publicKeyOf(key)
    return verify(method.digest, Buffer.from(input), { key: publicKey, ...method.options }, signature)
  } catch {
    // Numbers that are no key, such as a point beside its curve.
    return false
  }
}

const publicKeyOf = (key: SigningKey): KeyObject => {
  const known = publicKeys.get(key)
  if (known) return known
  const { kty, ...numbers } = key
  const made = createPublicKey({ key: { kty, ...numbers }, format: 'jwk' })
  if (kty === 'RSA' && (made.asymmetricKeyDetails?.modulusLength ?? 0) < RSA_BITS_MIN) throw new Error('too short')
  publicKeys.set(key, made)
  return made
}
