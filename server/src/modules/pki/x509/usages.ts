import { namedBits, objectIdentifier, sequence, TAG } from './der.ts'
import { DerReader, readNamedBits, readObjectIdentifier } from './der-reader.ts'

/** The position of each is the number of its bit (RFC 5280 4.2.1.3). */
export const KEY_USAGES = [
  'digitalSignature',
  'nonRepudiation',
  'keyEncipherment',
  'dataEncipherment',
  'keyAgreement',
  'keyCertSign',
  'cRLSign',
  'encipherOnly',
  'decipherOnly',
] as const
export type KeyUsage = (typeof KEY_USAGES)[number]

export const EXTENDED_KEY_USAGES = [
  'clientAuth',
  'serverAuth',
  'codeSigning',
  'emailProtection',
  'timeStamping',
  'ocspSigning',
  'anyExtendedKeyUsage',
] as const
export type ExtendedKeyUsage = (typeof EXTENDED_KEY_USAGES)[number]

const PURPOSES: Record<ExtendedKeyUsage, string> = {
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
  codeSigning: '1.3.6.1.5.5.7.3.3',
  emailProtection: '1.3.6.1.5.5.7.3.4',
  timeStamping: '1.3.6.1.5.5.7.3.8',
  ocspSigning: '1.3.6.1.5.5.7.3.9',
  anyExtendedKeyUsage: '2.5.29.37.0',
}

export const encodeKeyUsages = (usages: readonly KeyUsage[]): Buffer =>
  namedBits(usages.map((usage) => KEY_USAGES.indexOf(usage)))

export const readKeyUsages = (der: Buffer): KeyUsage[] => {
  const bits = readNamedBits(DerReader.whole(der, TAG.bitString))
  return KEY_USAGES.filter((_, bit) => bits.includes(bit))
}

export const encodeExtendedKeyUsages = (usages: readonly ExtendedKeyUsage[]): Buffer =>
  sequence(...usages.map((usage) => objectIdentifier(PURPOSES[usage])))

/** Purposes that have no name here are passed over. */
export const readExtendedKeyUsages = (der: Buffer): ExtendedKeyUsage[] => {
  const purposes = new DerReader(DerReader.whole(der, TAG.sequence).content).rest().map(readObjectIdentifier)
  return EXTENDED_KEY_USAGES.filter((usage) => purposes.includes(PURPOSES[usage]))
}
