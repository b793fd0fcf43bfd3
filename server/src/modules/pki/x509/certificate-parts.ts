import { TAG } from './der.ts'
import { DerReader, readBitString, readHexInteger, readTime, type Element } from './der-reader.ts'
import { keyIdentifierOf, readExtensions, type ReadExtensions } from './extensions.ts'
import { readSignatureAlgorithm, type Signed } from './key-algorithms.ts'

/** A certificate taken apart, names and key byte for byte as they came. */
export type CertificateParts = {
  serialNumber: string
  issuer: Element
  subject: Element
  notBefore: Date
  notAfter: Date
  /** SubjectPublicKeyInfo. */
  publicKey: Buffer
  extensions: ReadExtensions
  signed: Signed
}

const VERSION = 0xa0
const UNIQUE_IDS = [0x81, 0x82]
const EXTENSIONS = 0xa3

export const partsOfCertificate = (der: Buffer): CertificateParts => {
  const { body, ...signed } = splitSigned(der)
  const parts = new DerReader(body)
  parts.takeIf(VERSION)
  const serialNumber = readHexInteger(parts.take(TAG.integer))
  parts.take(TAG.sequence)
  const issuer = parts.take(TAG.sequence)
  const validity = parts.enter(TAG.sequence)
  const [notBefore, notAfter] = [readTime(validity.next()), readTime(validity.next())]
  const subject = parts.take(TAG.sequence)
  const publicKey = parts.take(TAG.sequence).raw
  for (const tag of UNIQUE_IDS) parts.takeIf(tag)
  const extensions = parts.takeIf(EXTENSIONS)
  parts.end()
  const content = extensions && DerReader.whole(extensions.content, TAG.sequence).content
  return {
    serialNumber,
    issuer,
    subject,
    notBefore,
    notAfter,
    publicKey,
    extensions: readExtensions(content ?? Buffer.alloc(0)),
    signed,
  }
}

/** The name and key identifier by which an authority's certificate is pointed at from what it signs. */
export const issuerOf = (certificate: Buffer): { name: Buffer; keyIdentifier: Buffer; publicKey: Buffer } => {
  const { subject, publicKey, extensions } = partsOfCertificate(certificate)
  return {
    name: subject.raw,
    keyIdentifier: extensions.subjectKeyIdentifier ?? keyIdentifierOf(publicKey),
    publicKey,
  }
}

/** SEQUENCE { what is signed, algorithm, signature }; `body` is the content of what is signed. */
export const splitSigned = (der: Buffer): Signed & { body: Buffer } => {
  const outer = new DerReader(DerReader.whole(der, TAG.sequence).content)
  const { raw: data, content: body } = outer.take(TAG.sequence)
  const algorithm = readSignatureAlgorithm(outer.take(TAG.sequence).content)
  const signature = readBitString(outer.take(TAG.bitString))
  outer.end()
  return { algorithm, data, signature, body }
}
