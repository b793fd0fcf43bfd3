import { TAG } from '../x509/der.ts'
import { DerReader, malformed, readHexInteger, readObjectIdentifier } from '../x509/der-reader.ts'
import { splitExtensions } from '../x509/extensions.ts'

/** A certificate as a client names it: by its number, and by hashes of its issuer's name and key. */
export type CertificateId = {
  /** Undefined: a kind of hash that is not made here. */
  hash: 'sha1' | 'sha256' | undefined
  issuerNameHash: Buffer
  issuerKeyHash: Buffer
  serialNumber: string
  /** As it came, to be given back. */
  raw: Buffer
}

export type OcspRequest = {
  certificates: CertificateId[]
  /** As it came, to be given back. */
  nonce: Buffer | undefined
}

export const NONCE = '1.3.6.1.5.5.7.48.1.2'

const CERTIFICATES_MAX = 20
/** RFC 9654: longer ones are not worth what it costs to give them back. */
const NONCE_BYTES_MAX = 128 + 3

const VERSION = 0xa0
const REQUESTOR_NAME = 0xa1
const EXTENSIONS = 0xa2

const HASHES = new Map<string, 'sha1' | 'sha256'>([
  ['1.3.14.3.2.26', 'sha1'],
  ['2.16.840.1.101.3.4.2.1', 'sha256'],
])

/** RFC 6960 4.1. A signature is passed over: nobody is asked who they are. Throws UnreadableError. */
export const readOcspRequest = (der: Buffer): OcspRequest => {
  const request = new DerReader(new DerReader(DerReader.whole(der, TAG.sequence).content).take(TAG.sequence).content)
  request.takeIf(VERSION)
  request.takeIf(REQUESTOR_NAME)
  const asked = new DerReader(request.take(TAG.sequence).content).rest()
  const extensions = request.takeIf(EXTENSIONS)
  request.end()
  if (asked.length === 0 || asked.length > CERTIFICATES_MAX) throw malformed()
  return {
    certificates: asked.map(({ content }) => readId(content)),
    nonce: extensions && readNonce(extensions.content),
  }
}

const readId = (content: Buffer): CertificateId => {
  const { raw, content: parts } = new DerReader(content).take(TAG.sequence)
  const id = new DerReader(parts)
  const hash = HASHES.get(readObjectIdentifier(id.enter(TAG.sequence).take(TAG.objectIdentifier)))
  const issuerNameHash = id.take(TAG.octetString).content
  const issuerKeyHash = id.take(TAG.octetString).content
  const serialNumber = readHexInteger(id.take(TAG.integer))
  id.end()
  return { hash, issuerNameHash, issuerKeyHash, serialNumber, raw }
}

const readNonce = (extensions: Buffer): Buffer | undefined => {
  const nonce = splitExtensions(DerReader.whole(extensions, TAG.sequence).content).get(NONCE)
  if (nonce && nonce.length > NONCE_BYTES_MAX) throw malformed()
  return nonce
}
