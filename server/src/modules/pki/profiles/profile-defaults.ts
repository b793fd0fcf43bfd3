import {
  toExtendedKeyUsages,
  toKeyUsages,
  type ExtendedKeyUsageName,
  type KeyUsageName,
} from '../policies/usage-names.ts'
import type { AskedCertificate } from '../policies/policy-rules.ts'
import type { KeyAlgorithm, SignatureAlgorithm } from '../x509/key-algorithms.ts'
import type { AltName, Subject } from '../x509/names.ts'

/** What certificates of a profile have unless the request says otherwise. */
export type ProfileDefaults = {
  ttlDays?: number | undefined
  commonName?: string | undefined
  organization?: string | undefined
  organizationalUnit?: string | undefined
  country?: string | undefined
  state?: string | undefined
  locality?: string | undefined
  domainComponents?: string[] | undefined
  subjectAltNames?: AltName[] | undefined
  keyAlgorithm?: KeyAlgorithm | undefined
  signatureAlgorithm?: SignatureAlgorithm | undefined
  keyUsages?: KeyUsageName[] | undefined
  extendedKeyUsages?: ExtendedKeyUsageName[] | undefined
  basicConstraints?: { isCA: boolean; pathLength?: number | undefined } | undefined
}

const DAY_MS = 86_400_000

const SUBJECT_FIELDS = ['commonName', 'organization', 'organizationalUnit', 'country', 'state', 'locality'] as const

/** A part of the name: null takes the default away, undefined leaves it. */
export type AskedSubject = { [Field in (typeof SUBJECT_FIELDS)[number]]?: string | null | undefined } & {
  domainComponents?: string[] | null | undefined
}

export const subjectWith = (defaults: AskedSubject, asked: AskedSubject): Subject => {
  const subject: Subject = {}
  for (const field of SUBJECT_FIELDS) {
    const value = asked[field] === undefined ? defaults[field] : asked[field]
    if (value !== undefined && value !== null && value !== '') subject[field] = value
  }
  const components = asked.domainComponents === undefined ? defaults.domainComponents : asked.domainComponents
  if (components && components.length > 0) subject.domainComponents = components
  return subject
}

export const defaultTtlMs = ({ ttlDays }: ProfileDefaults): number | undefined =>
  ttlDays === undefined ? undefined : ttlDays * DAY_MS

/** The certificate that the defaults alone would make, to be held against a policy. */
export const askedByDefaults = (defaults: ProfileDefaults): AskedCertificate => ({
  subject: subjectWith(defaults, {}),
  altNames: defaults.subjectAltNames ?? [],
  keyUsages: toKeyUsages(defaults.keyUsages ?? []),
  extendedKeyUsages: toExtendedKeyUsages(defaults.extendedKeyUsages ?? []),
  keyAlgorithm: defaults.keyAlgorithm,
  signatureAlgorithm: defaults.signatureAlgorithm,
  validityMs: defaultTtlMs(defaults),
  isCa: defaults.basicConstraints?.isCA ?? false,
  pathLength: defaults.basicConstraints?.pathLength,
})
