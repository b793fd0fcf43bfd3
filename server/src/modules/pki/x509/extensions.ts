import { hash } from 'node:crypto'
import { encodeAltNames, readAltNames, uriName } from './alt-names.ts'
import { context, implicit, integer, objectIdentifier, octetString, sequence, TAG, TRUE } from './der.ts'
import {
  DerReader,
  malformed,
  readBitString,
  readBoolean,
  readObjectIdentifier,
  readSmallInteger,
} from './der-reader.ts'
import type { AltName } from './names.ts'
import {
  encodeExtendedKeyUsages,
  encodeKeyUsages,
  readExtendedKeyUsages,
  readKeyUsages,
  type ExtendedKeyUsage,
  type KeyUsage,
} from './usages.ts'

export type BasicConstraints = { isCa: boolean; pathLength?: number | undefined }

/** What is read from the extensions of a certificate or of a request for one. */
export type ReadExtensions = {
  altNames: AltName[]
  /** Undefined: the key is not restricted. */
  keyUsages: KeyUsage[] | undefined
  extendedKeyUsages: ExtendedKeyUsage[] | undefined
  basicConstraints: BasicConstraints | undefined
  subjectKeyIdentifier: Buffer | undefined
}

export const EXTENSION = {
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  crlNumber: '2.5.29.20',
  deltaCrlIndicator: '2.5.29.27',
  crlDistributionPoints: '2.5.29.31',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  freshestCrl: '2.5.29.46',
  authorityInformation: '1.3.6.1.5.5.7.1.1',
  ocspNoCheck: '1.3.6.1.5.5.7.48.1.5',
} as const

const OCSP = '1.3.6.1.5.5.7.48.1'
const CA_ISSUERS = '1.3.6.1.5.5.7.48.2'
const EXTENSIONS_MAX = 100

/** One Extension. */
export const extension = (oid: string, value: Buffer, { isCritical = false } = {}): Buffer =>
  sequence(objectIdentifier(oid), ...(isCritical ? [TRUE] : []), octetString(value))

export const basicConstraints = ({ isCa, pathLength }: BasicConstraints): Buffer =>
  extension(
    EXTENSION.basicConstraints,
    sequence(...(isCa ? [TRUE] : []), ...(isCa && pathLength !== undefined ? [integer(pathLength)] : [])),
    { isCritical: isCa },
  )

export const keyUsage = (usages: readonly KeyUsage[]): Buffer =>
  extension(EXTENSION.keyUsage, encodeKeyUsages(usages), { isCritical: true })

/** Not critical: what does not know a purpose then still takes the certificate. */
export const extendedKeyUsage = (usages: readonly ExtendedKeyUsage[]): Buffer =>
  extension(EXTENSION.extendedKeyUsage, encodeExtendedKeyUsages(usages))

export const subjectAltName = (names: readonly AltName[], options: { isCritical: boolean }): Buffer =>
  extension(EXTENSION.subjectAltName, encodeAltNames(names), options)

export const subjectKeyIdentifier = (identifier: Buffer): Buffer =>
  extension(EXTENSION.subjectKeyIdentifier, octetString(identifier))

export const authorityKeyIdentifier = (identifier: Buffer): Buffer =>
  extension(EXTENSION.authorityKeyIdentifier, sequence(implicit(0, identifier)))

/** A distribution point for each URL. */
export const distributionPoints = (oid: string, urls: readonly string[]): Buffer =>
  extension(oid, sequence(...urls.map((url) => sequence(context(0, context(0, uriName(url)))))))

export const authorityInformation = ({ ocspUrl, issuerUrl }: Information): Buffer =>
  extension(
    EXTENSION.authorityInformation,
    sequence(
      ...(ocspUrl === undefined ? [] : [sequence(objectIdentifier(OCSP), uriName(ocspUrl))]),
      ...(issuerUrl === undefined ? [] : [sequence(objectIdentifier(CA_ISSUERS), uriName(issuerUrl))]),
    ),
  )

type Information = { ocspUrl: string | undefined; issuerUrl: string | undefined }

/** RFC 5280 4.2.1.2 (1), from a SubjectPublicKeyInfo. */
export const keyIdentifierOf = (spki: Buffer): Buffer => hash('sha1', keyBitsOf(spki), 'buffer')

/** The bits of the key itself, from a SubjectPublicKeyInfo. */
export const keyBitsOf = (spki: Buffer): Buffer => {
  const info = new DerReader(DerReader.whole(spki, TAG.sequence).content)
  info.take(TAG.sequence)
  return readBitString(info.take(TAG.bitString))
}

/** The content of Extensions, by identifier. One that comes twice is refused: readers would differ on which one counts. */
export const splitExtensions = (content: Buffer): Map<string, Buffer> => {
  const found = new Map<string, Buffer>()
  for (const { tag, content: parts } of new DerReader(content).rest()) {
    if (tag !== TAG.sequence) throw malformed()
    const reader = new DerReader(parts)
    const oid = readObjectIdentifier(reader.take(TAG.objectIdentifier))
    reader.takeIf(TAG.boolean)
    const value = reader.take(TAG.octetString).content
    reader.end()
    if (found.has(oid) || found.size === EXTENSIONS_MAX) throw malformed()
    found.set(oid, value)
  }
  return found
}

/** `content` is that of Extensions. */
export const readExtensions = (content: Buffer): ReadExtensions => {
  const found = splitExtensions(content)
  const read = <T>(oid: string, reader: (der: Buffer) => T): T | undefined => {
    const value = found.get(oid)
    return value && reader(value)
  }
  return {
    altNames: read(EXTENSION.subjectAltName, readAltNames) ?? [],
    keyUsages: read(EXTENSION.keyUsage, readKeyUsages),
    extendedKeyUsages: read(EXTENSION.extendedKeyUsage, readExtendedKeyUsages),
    basicConstraints: read(EXTENSION.basicConstraints, readBasicConstraints),
    subjectKeyIdentifier: read(EXTENSION.subjectKeyIdentifier, (der) => DerReader.whole(der, TAG.octetString).content),
  }
}

const readBasicConstraints = (der: Buffer): BasicConstraints => {
  const parts = new DerReader(DerReader.whole(der, TAG.sequence).content)
  const isCa = parts.takeIf(TAG.boolean)
  const pathLength = parts.takeIf(TAG.integer)
  parts.end()
  return {
    isCa: isCa !== undefined && readBoolean(isCa),
    ...(pathLength && { pathLength: readSmallInteger(pathLength) }),
  }
}
