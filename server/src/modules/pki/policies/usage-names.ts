import type { ExtendedKeyUsage, KeyUsage } from '../x509/usages.ts'

/** The two spellings of what a key may be used for: that of policies and requests, and that of certificates. */
export const KEY_USAGE_NAMES = {
  digital_signature: 'digitalSignature',
  key_encipherment: 'keyEncipherment',
  non_repudiation: 'nonRepudiation',
  data_encipherment: 'dataEncipherment',
  key_agreement: 'keyAgreement',
  key_cert_sign: 'keyCertSign',
  crl_sign: 'cRLSign',
  encipher_only: 'encipherOnly',
  decipher_only: 'decipherOnly',
} as const satisfies Readonly<Record<string, KeyUsage>>

export const EXTENDED_KEY_USAGE_NAMES = {
  client_auth: 'clientAuth',
  server_auth: 'serverAuth',
  code_signing: 'codeSigning',
  email_protection: 'emailProtection',
  ocsp_signing: 'ocspSigning',
  time_stamping: 'timeStamping',
  any_purpose: 'anyExtendedKeyUsage',
} as const satisfies Readonly<Record<string, ExtendedKeyUsage>>

export type KeyUsageName = keyof typeof KEY_USAGE_NAMES
export type ExtendedKeyUsageName = keyof typeof EXTENDED_KEY_USAGE_NAMES

const keysOf = <Name extends string>(names: Readonly<Record<Name, string>>) => Object.keys(names) as [Name, ...Name[]]

export const KEY_USAGES_ASKED = keysOf(KEY_USAGE_NAMES)
export const EXTENDED_KEY_USAGES_ASKED = keysOf(EXTENDED_KEY_USAGE_NAMES)

export const toKeyUsages = (names: readonly KeyUsageName[]): KeyUsage[] => [
  ...new Set(names.map((name) => KEY_USAGE_NAMES[name])),
]

export const toExtendedKeyUsages = (names: readonly ExtendedKeyUsageName[]): ExtendedKeyUsage[] => [
  ...new Set(names.map((name) => EXTENDED_KEY_USAGE_NAMES[name])),
]

/** Back to the spelling of requests. */
export const fromKeyUsages = (usages: readonly KeyUsage[]): KeyUsageName[] =>
  KEY_USAGES_ASKED.filter((name) => usages.includes(KEY_USAGE_NAMES[name]))

export const fromExtendedKeyUsages = (usages: readonly ExtendedKeyUsage[]): ExtendedKeyUsageName[] =>
  EXTENDED_KEY_USAGES_ASKED.filter((name) => usages.includes(EXTENDED_KEY_USAGE_NAMES[name]))
