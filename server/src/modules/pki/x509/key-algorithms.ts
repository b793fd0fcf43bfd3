import { createPublicKey, generateKeyPair as generate, sign, verify, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { NULL, objectIdentifier, sequence, TAG } from './der.ts'
import { DerReader, readObjectIdentifier } from './der-reader.ts'

import { UnreadableError } from './unreadable-error.ts'

export const KEY_ALGORITHMS = [
  'RSA_2048',
  'RSA_3072',
  'RSA_4096',
  'EC_prime256v1',
  'EC_secp384r1',
  'EC_secp521r1',
  'ED25519',
] as const
export type KeyAlgorithm = (typeof KEY_ALGORITHMS)[number]

export const SIGNATURE_ALGORITHMS = [
  'RSA-SHA256',
  'RSA-SHA384',
  'RSA-SHA512',
  'ECDSA-SHA256',
  'ECDSA-SHA384',
  'ECDSA-SHA512',
  'ED25519',
] as const
export type SignatureAlgorithm = (typeof SIGNATURE_ALGORITHMS)[number]

export type KeyPair = { privateKey: KeyObject; publicKey: KeyObject }

/** CA/Browser Forum baseline requirements 6.1.6. */
const RSA_EXPONENT_MIN = 65_537n

const SIGNATURES: Record<SignatureAlgorithm, { oid: string; hash: string | null; hasNull: boolean }> = {
  'RSA-SHA256': { oid: '1.2.840.113549.1.1.11', hash: 'sha256', hasNull: true },
  'RSA-SHA384': { oid: '1.2.840.113549.1.1.12', hash: 'sha384', hasNull: true },
  'RSA-SHA512': { oid: '1.2.840.113549.1.1.13', hash: 'sha512', hasNull: true },
  'ECDSA-SHA256': { oid: '1.2.840.10045.4.3.2', hash: 'sha256', hasNull: false },
  'ECDSA-SHA384': { oid: '1.2.840.10045.4.3.3', hash: 'sha384', hasNull: false },
  'ECDSA-SHA512': { oid: '1.2.840.10045.4.3.4', hash: 'sha512', hasNull: false },
  ED25519: { oid: '1.3.101.112', hash: null, hasNull: false },
}

const DEFAULTS: Record<KeyAlgorithm, SignatureAlgorithm> = {
  RSA_2048: 'RSA-SHA256',
  RSA_3072: 'RSA-SHA256',
  RSA_4096: 'RSA-SHA256',
  EC_prime256v1: 'ECDSA-SHA256',
  EC_secp384r1: 'ECDSA-SHA384',
  EC_secp521r1: 'ECDSA-SHA512',
  ED25519: 'ED25519',
}

const generateInPool = {
  rsa: promisify((bits: number, done: (error: Error | null, pair: KeyPair) => void) => {
    generate('rsa', { modulusLength: bits }, (error, publicKey, privateKey) => done(error, { publicKey, privateKey }))
  }),
  ec: promisify((namedCurve: string, done: (error: Error | null, pair: KeyPair) => void) => {
    generate('ec', { namedCurve }, (error, publicKey, privateKey) => done(error, { publicKey, privateKey }))
  }),
  ed25519: promisify((done: (error: Error | null, pair: KeyPair) => void) => {
    generate('ed25519', undefined, (error, publicKey, privateKey) => done(error, { publicKey, privateKey }))
  }),
}

/** In the thread pool: an RSA key takes from a tenth of a second to several. */
export const generateKeyPair = (algorithm: KeyAlgorithm): Promise<KeyPair> => {
  if (algorithm === 'ED25519') return generateInPool.ed25519()
  const [family, parameter = ''] = algorithm.split('_')
  return family === 'RSA' ? generateInPool.rsa(Number(parameter)) : generateInPool.ec(parameter)
}

/** Undefined for a key that is weak, or of a kind that is not dealt in. */
export const keyAlgorithmOf = (publicKey: KeyObject): KeyAlgorithm | undefined => {
  const { modulusLength, publicExponent = 0n, namedCurve } = publicKey.asymmetricKeyDetails ?? {}
  switch (publicKey.asymmetricKeyType) {
    case 'rsa':
      return publicExponent < RSA_EXPONENT_MIN ? undefined : known(`RSA_${modulusLength}`)
    case 'ec':
      return known(`EC_${namedCurve}`)
    case 'ed25519':
      return 'ED25519'
    default:
      return undefined
  }
}

const known = (name: string): KeyAlgorithm | undefined => KEY_ALGORITHMS.find((algorithm) => algorithm === name)

export const defaultSignatureAlgorithm = (issuer: KeyAlgorithm): SignatureAlgorithm => DEFAULTS[issuer]

/** Whether a key of that kind can make such a signature. */
export const fitsKey = (signature: SignatureAlgorithm, issuer: KeyAlgorithm): boolean =>
  familyOf(signature) === familyOf(DEFAULTS[issuer])

const familyOf = (signature: SignatureAlgorithm) => signature.split('-')[0]

/** The AlgorithmIdentifier of a signature. */
export const encodeSignatureAlgorithm = (algorithm: SignatureAlgorithm): Buffer => {
  const { oid, hasNull } = SIGNATURES[algorithm]
  return sequence(objectIdentifier(oid), ...(hasNull ? [NULL] : []))
}

/** From the content of an AlgorithmIdentifier; undefined for one that is weak or unknown. */
export const readSignatureAlgorithm = (content: Buffer): SignatureAlgorithm | undefined => {
  const oid = readObjectIdentifier(new DerReader(content).take(TAG.objectIdentifier))
  return SIGNATURE_ALGORITHMS.find((algorithm) => SIGNATURES[algorithm].oid === oid)
}

export const signWith = (algorithm: SignatureAlgorithm, key: KeyObject, data: Buffer): Buffer =>
  sign(SIGNATURES[algorithm].hash, data, key)

/** In the thread pool, for what is large. */
export const signInPool = (algorithm: SignatureAlgorithm, key: KeyObject, data: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    sign(SIGNATURES[algorithm].hash, data, key, (error, signature) => (error ? reject(error) : resolve(signature)))
  })

/** False also when the key is of another family than the signature. */
export const isSignedBy = (signed: Signed, publicKey: KeyObject): boolean => {
  const { algorithm, data, signature } = signed
  const keyAlgorithm = keyAlgorithmOf(publicKey)
  if (algorithm === undefined || keyAlgorithm === undefined || !fitsKey(algorithm, keyAlgorithm)) return false
  try {
    return verify(SIGNATURES[algorithm].hash, data, publicKey, signature)
  } catch {
    return false
  }
}

export type Signed = { algorithm: SignatureAlgorithm | undefined; data: Buffer; signature: Buffer }

export const exportPublicKey = (publicKey: KeyObject): Buffer => publicKey.export({ type: 'spki', format: 'der' })

/** From a SubjectPublicKeyInfo. */
export const importPublicKey = (spki: Buffer): KeyObject => {
  try {
    return createPublicKey({ key: spki, format: 'der', type: 'spki' })
  } catch (error) {
    throw new UnreadableError('The public key cannot be read', { cause: error })
  }
}
