import { isIP } from 'node:net'
import { badRequest } from '../../../lib/app-error.ts'
import { parseDurationMs } from '../../../lib/duration.ts'
import { requireBuiltAlgorithm, requireNamed } from '../authorities/authority-rules.ts'
import {
  type ExtendedKeyUsageName,
  type KeyUsageName,
  toExtendedKeyUsages,
  toKeyUsages,
} from '../policies/usage-names.ts'
import { type AskedSubject, defaultTtlMs, type ProfileDefaults, subjectWith } from '../profiles/profile-defaults.ts'
import { inOneSpelling } from '../x509/alt-names.ts'
import type { KeyAlgorithm, SignatureAlgorithm } from '../x509/key-algorithms.ts'
import type { AltName, Subject } from '../x509/names.ts'
import type { SigningRequest } from '../x509/signing-request.ts'
import type { ExtendedKeyUsage, KeyUsage } from '../x509/usages.ts'

/** How long: for a time from now, or between dates. */
export type WishedTerm = { ttl?: string | undefined; notBefore?: Date | undefined; notAfter?: Date | undefined }

/** What a request may say of the certificate it wants. */
export type WishedAttributes = AskedSubject &
  WishedTerm & {
    keyUsages?: KeyUsageName[] | undefined
    extendedKeyUsages?: ExtendedKeyUsageName[] | undefined
    altNames?: AltName[] | undefined
    signatureAlgorithm?: SignatureAlgorithm | undefined
    keyAlgorithm?: string | undefined
    basicConstraints?: { isCA: boolean; pathLength?: number | undefined } | undefined
  }

/** A certificate as it is to be, but for its key and its dates. */
export type CertificateWish = {
  subject: Subject
  altNames: AltName[]
  keyUsages: KeyUsage[]
  extendedKeyUsages: ExtendedKeyUsage[]
  isCa: boolean
  pathLength?: number | undefined
  keyAlgorithm?: KeyAlgorithm | undefined
  signatureAlgorithm?: SignatureAlgorithm | undefined
}

/** For a key that is made here. */
export const wishFrom = (asked: WishedAttributes, defaults: ProfileDefaults): CertificateWish => {
  const keyAlgorithm = asked.keyAlgorithm ?? defaults.keyAlgorithm
  return {
    subject: subjectWith(defaults, asked),
    altNames: (asked.altNames ?? defaults.subjectAltNames ?? []).map(inOneSpelling),
    keyUsages: toKeyUsages(asked.keyUsages ?? defaults.keyUsages ?? []),
    extendedKeyUsages: toExtendedKeyUsages(asked.extendedKeyUsages ?? defaults.extendedKeyUsages ?? []),
    ...constraintsOf(asked.basicConstraints ?? defaults.basicConstraints),
    keyAlgorithm: keyAlgorithm === undefined ? undefined : requireBuiltAlgorithm(keyAlgorithm),
    signatureAlgorithm: asked.signatureAlgorithm ?? defaults.signatureAlgorithm,
  }
}

/** For the key of a signing request, which says the rest as well; the profile fills what it leaves out. */
export const wishOfRequest = (
  request: SigningRequest,
  { basicConstraints }: Pick<WishedAttributes, 'basicConstraints'>,
  defaults: ProfileDefaults,
): CertificateWish => ({
  subject: subjectWith(defaults, request.subject),
  altNames: (request.altNames.length > 0 ? request.altNames : (defaults.subjectAltNames ?? [])).map(inOneSpelling),
  keyUsages: request.keyUsages.length > 0 ? request.keyUsages : toKeyUsages(defaults.keyUsages ?? []),
  extendedKeyUsages:
    request.extendedKeyUsages.length > 0
      ? request.extendedKeyUsages
      : toExtendedKeyUsages(defaults.extendedKeyUsages ?? []),
  ...(basicConstraints || !request.basicConstraints
    ? constraintsOf(basicConstraints ?? defaults.basicConstraints)
    : request.basicConstraints),
  keyAlgorithm: request.keyAlgorithm,
  signatureAlgorithm: defaults.signatureAlgorithm,
})

const constraintsOf = ({ isCA, pathLength }: NonNullable<WishedAttributes['basicConstraints']> = { isCA: false }) => ({
  isCa: isCA,
  pathLength: isCA ? pathLength : undefined,
})

/** When it begins, where that was said, and when it ends. `spanMs` is how long that is. */
export type Span = { notBefore?: Date | undefined; notAfter: Date; spanMs: number }

/** Dates that were given, else the time that was given, else that of the profile. */
export const spanOf = ({ ttl, notBefore, notAfter }: WishedTerm, now: number, usualMs: number | undefined): Span => {
  const begin = notBefore?.getTime() ?? now
  if (notAfter) return { notBefore, notAfter, spanMs: notAfter.getTime() - begin }
  const spanMs = ttl === undefined ? usualMs : parseDurationMs(ttl)
  if (spanMs === undefined) throw badRequest('Say how long the certificate is to last: ttl or notAfter')
  return { notBefore, notAfter: new Date(Math.floor((begin + spanMs) / 1_000) * 1_000), spanMs }
}

export const usualSpanMs = defaultTtlMs

const HOST_NAME = /^(?:\*\.)?(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i
const HOST_NAME_LENGTH_MAX = 253
const EMAIL = /^[^\s@]+@[^\s@]+$/

const IS_SOUND: Readonly<Record<AltName['type'], (value: string) => boolean>> = {
  dns_name: (value) => value.length <= HOST_NAME_LENGTH_MAX && HOST_NAME.test(value) && isIP(value) === 0,
  // The zone of an address means nothing on another machine.
  ip_address: (value) => isIP(value) !== 0 && !value.includes('%'),
  email: (value) => EMAIL.test(value),
  uri: (value) => URL.canParse(value),
  upn: (value) => value !== '',
}

/** Throws for what no certificate may be, whatever policies say. */
export const requireSound = ({ subject, altNames, keyUsages, isCa }: CertificateWish): void => {
  const odd = altNames.find(({ type, value }) => !IS_SOUND[type](value))
  if (odd) throw badRequest(`'${odd.value}' is no subject alternative name of type ${odd.type}`)
  if (Object.keys(subject).length === 0 && altNames.length === 0) {
    throw badRequest('A certificate needs a subject or a subject alternative name')
  }
  // RFC 5280 4.2.1.9
  const signs = keyUsages.includes('keyCertSign')
  if (signs && !isCa) throw badRequest('Only the certificate of an authority may have the key usage keyCertSign')
  if (isCa) requireNamed(subject)
  if (isCa && !signs) throw badRequest('The certificate of an authority needs the key usage keyCertSign')
}
