import type { AltName, Subject } from '../x509/names.ts'
import type { ExtendedKeyUsageName, KeyUsageName } from './usage-names.ts'

export const SUBJECT_ATTRIBUTES = [
  'common_name',
  'organization',
  'country',
  'state',
  'locality',
  'organizational_unit',
  'domain_component',
] as const
export type SubjectAttribute = (typeof SUBJECT_ATTRIBUTES)[number]

export const STANCES = ['allowed', 'required', 'denied'] as const
export type Stance = (typeof STANCES)[number]

/** Of each value: denied ones must not occur, required ones must, and where any is allowed or required no other may. */
export type Listed<Value> = {
  allowed?: Value[] | undefined
  required?: Value[] | undefined
  denied?: Value[] | undefined
}

/** A section that is absent or null says nothing; a list of types that is there admits no others. */
export type PolicyRules = {
  subject?: (Listed<string> & { type: SubjectAttribute })[] | null | undefined
  sans?: (Listed<string> & { type: AltName['type'] })[] | null | undefined
  keyUsages?: Listed<KeyUsageName> | null | undefined
  extendedKeyUsages?: Listed<ExtendedKeyUsageName> | null | undefined
  algorithms?: { signature?: string[] | undefined; keyAlgorithm?: string[] | undefined } | null | undefined
  validity?: { max?: string | undefined } | null | undefined
  basicConstraints?: { isCA?: Stance | undefined; maxPathLength?: number | undefined } | null | undefined
}

/** What is asked for, in the words of certificates. */
export type AskedCertificate = {
  subject: Subject
  altNames: readonly AltName[]
  keyUsages: readonly string[]
  extendedKeyUsages: readonly string[]
  keyAlgorithm?: string | undefined
  signatureAlgorithm?: string | undefined
  /** Undefined while nobody has said how long. */
  validityMs?: number | undefined
  isCa: boolean
  pathLength?: number | undefined
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** wire: `m` is a month of thirty days here. */
const UNITS_MS: Readonly<Record<string, number>> = { h: HOUR_MS, d: DAY_MS, m: 30 * DAY_MS, y: 365 * DAY_MS }
const PERIOD = /^(\d{1,9})([dhmy])$/
const PERIOD_MAX_MS = 100 * 366 * DAY_MS

/** Of "90d", "12h", "6m" (months), "1y". Undefined for anything else, and beyond a hundred years. */
export const parsePeriodMs = (text: string): number | undefined => {
  const [, amount, unit] = PERIOD.exec(text) ?? []
  const periodMs = Number(amount) * (UNITS_MS[unit ?? ''] ?? NaN)
  return periodMs > 0 && periodMs <= PERIOD_MAX_MS ? periodMs : undefined
}
