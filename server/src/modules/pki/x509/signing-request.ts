import type { KeyObject } from 'node:crypto'
import { encodeSigned } from './certificate.ts'
import { splitSigned } from './certificate-parts.ts'
import { context, integer, sequence, TAG } from './der.ts'
import { DerReader, readObjectIdentifier, type Element } from './der-reader.ts'
import { readExtensions, type BasicConstraints } from './extensions.ts'
import {
  defaultSignatureAlgorithm,
  exportPublicKey,
  importPublicKey,
  isSignedBy,
  keyAlgorithmOf,
  type KeyAlgorithm,
} from './key-algorithms.ts'
import { encodeName, readName, type AltName, type Subject } from './names.ts'
import { readPems } from './pem.ts'
import { UnreadableError } from './unreadable-error.ts'
import type { ExtendedKeyUsage, KeyUsage } from './usages.ts'

/** What somebody asks a certificate for. */
export type SigningRequest = {
  subject: Subject
  altNames: AltName[]
  publicKey: KeyObject
  keyAlgorithm: KeyAlgorithm
  keyUsages: KeyUsage[]
  extendedKeyUsages: ExtendedKeyUsage[]
  basicConstraints: BasicConstraints | undefined
}

const ATTRIBUTES = 0xa0
const EXTENSION_REQUEST = '1.2.840.113549.1.9.14'
const LABELS = ['CERTIFICATE REQUEST', 'NEW CERTIFICATE REQUEST']
const BYTES_MAX = 64 * 1_024

/** PKCS#10 for a subject and its key, signed by the key itself. */
export const createSigningRequest = (subject: Subject, key: KeyObject, publicKey: KeyObject): Buffer => {
  const keyAlgorithm = keyAlgorithmOf(publicKey)
  if (!keyAlgorithm) throw weakKey()
  const body = sequence(integer(0), encodeName(subject), exportPublicKey(publicKey), context(0))
  return encodeSigned(body, defaultSignatureAlgorithm(keyAlgorithm), key)
}

/** PEM text or DER. Throws UnreadableError also when the key is weak, or when whoever asks does not hold its private half. */
export const readSigningRequest = (pemOrDer: string | Buffer): SigningRequest => {
  const { body, ...signed } = splitSigned(typeof pemOrDer === 'string' ? fromPem(pemOrDer) : bounded(pemOrDer))
  const parts = new DerReader(body)
  parts.take(TAG.integer)
  const subject = readName(parts.take(TAG.sequence))
  const spki = parts.take(TAG.sequence)
  const publicKey = importPublicKey(spki.raw)
  const extensions = readExtensions(requestedExtensions(parts.takeIf(ATTRIBUTES)?.content ?? Buffer.alloc(0)))
  parts.end()

  const keyAlgorithm = keyAlgorithmOf(publicKey)
  if (!keyAlgorithm || hasOwnCurve(spki)) throw weakKey()
  if (!isSignedBy(signed, publicKey)) throw new UnreadableError('The signature of the signing request is not valid')
  return {
    subject,
    altNames: extensions.altNames,
    publicKey,
    keyAlgorithm,
    keyUsages: extensions.keyUsages ?? [],
    extendedKeyUsages: extensions.extendedKeyUsages ?? [],
    basicConstraints: extensions.basicConstraints,
  }
}

const fromPem = (text: string): Buffer => {
  // Base64 and line ends make a third more.
  if (text.length > 2 * BYTES_MAX) throw tooLarge()
  const [der, ...others] = LABELS.flatMap((label) => readPems(label, text))
  if (!der || others.length > 0) throw new UnreadableError('The signing request must be one PEM block')
  return bounded(der)
}

const bounded = (der: Buffer): Buffer => {
  if (der.length > BYTES_MAX) throw tooLarge()
  return der
}

/** The content of the Extensions that are asked for; `attributes` is that of the set of attributes. */
const requestedExtensions = (attributes: Buffer): Buffer => {
  for (const { content } of new DerReader(attributes).rest()) {
    const attribute = new DerReader(content)
    if (readObjectIdentifier(attribute.take(TAG.objectIdentifier)) !== EXTENSION_REQUEST) continue
    return DerReader.whole(attribute.take(TAG.set).content, TAG.sequence).content
  }
  return Buffer.alloc(0)
}

/** RFC 5480 2.1.1: a curve is named. One that is spelled out is refused by those who check certificates. */
const hasOwnCurve = ({ content }: Element): boolean => {
  const [, parameters] = new DerReader(new DerReader(content).take(TAG.sequence).content).rest()
  return parameters?.tag === TAG.sequence
}

const weakKey = () => new UnreadableError('The public key is too weak or of a kind that is not supported')
const tooLarge = () => new UnreadableError(`The signing request is larger than ${BYTES_MAX} bytes`)
