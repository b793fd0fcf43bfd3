import { spellAddress } from '../x509/alt-names.ts'
import type { Subject } from '../x509/names.ts'
import { algorithmOf } from './algorithm-names.ts'
import {
  type AskedCertificate,
  type Listed,
  parsePeriodMs,
  type PolicyRules,
  type SubjectAttribute,
} from './policy-rules.ts'
import { EXTENDED_KEY_USAGE_NAMES, KEY_USAGE_NAMES } from './usage-names.ts'
import { matchesWildcard } from './wildcard.ts'

type Options = {
  /** For defaults, which requests complete: what is missing is no fault. */
  isPartial?: boolean
}

/** Everything in which the certificate is not what the policy admits; empty when it is. */
export const violationsOf = (
  rules: PolicyRules,
  asked: AskedCertificate,
  { isPartial = false }: Options = {},
): string[] => {
  const violations = [
    ...subjectViolations(rules, asked),
    ...altNameViolations(rules, asked),
    ...usageViolations('key usage', renamed(rules.keyUsages, KEY_USAGE_NAMES), asked.keyUsages),
    ...usageViolations(
      'extended key usage',
      renamed(rules.extendedKeyUsages, EXTENDED_KEY_USAGE_NAMES),
      asked.extendedKeyUsages,
    ),
    ...algorithmViolations(rules, asked),
    ...validityViolations(rules, asked),
    ...basicConstraintViolations(rules, asked),
  ]
  return violations.filter(({ isMissing }) => !isPartial || !isMissing).map(({ text }) => text)
}

type Violation = { text: string; isMissing?: true }

const ATTRIBUTE_VALUES: Readonly<Record<SubjectAttribute, (subject: Subject) => string | undefined>> = {
  common_name: ({ commonName }) => commonName,
  organization: ({ organization }) => organization,
  country: ({ country }) => country,
  state: ({ state }) => state,
  locality: ({ locality }) => locality,
  organizational_unit: ({ organizationalUnit }) => organizationalUnit,
  // One value, as policies write it.
  domain_component: ({ domainComponents }) => domainComponents?.join(','),
}

const subjectViolations = ({ subject: rules }: PolicyRules, { subject }: AskedCertificate): Violation[] => {
  if (!rules) return []
  return Object.entries(ATTRIBUTE_VALUES).flatMap(([type, valueIn]) => {
    const value = valueIn(subject)
    const values = value === undefined || value === '' ? [] : [value]
    return listViolations(
      `subject attribute ${type}`,
      rules.filter((rule) => rule.type === type),
      values,
    )
  })
}

const altNameViolations = ({ sans: rules }: PolicyRules, { altNames }: AskedCertificate): Violation[] => {
  if (!rules) return []
  const types = new Set([...rules, ...altNames].map(({ type }) => type))
  return [...types].flatMap((type) => {
    const values = altNames.filter((name) => name.type === type).map(({ value }) => value)
    return listViolations(
      `subject alternative name ${type}`,
      rules.filter((rule) => rule.type === type).map(type === 'ip_address' ? inOneSpelling : (rule) => rule),
      values,
    )
  })
}

/** As the addresses are spelled that they are compared with; a pattern stays as it is. */
const inOneSpelling = ({ allowed, required, denied }: Listed<string>): Listed<string> => ({
  allowed: allowed?.map(spellAddress),
  required: required?.map(spellAddress),
  denied: denied?.map(spellAddress),
})

/** Several entries for one type all bind. */
const listViolations = (what: string, rules: readonly Listed<string>[], values: readonly string[]): Violation[] => {
  if (rules.length === 0) return values.map((value) => ({ text: `${what} '${value}' is not allowed by the policy` }))
  return rules.flatMap((rule) => valueViolations(what, rule, values))
}

const valueViolations = (
  what: string,
  { allowed, required, denied }: Listed<string>,
  values: readonly string[],
): Violation[] => {
  const admitted = allowed || required ? [...(allowed ?? []), ...(required ?? [])] : undefined
  const isOneOf = (patterns: readonly string[], value: string) =>
    patterns.some((pattern) => matchesWildcard(pattern, value))
  return [
    ...values
      .filter((value) => isOneOf(denied ?? [], value) || (denied ?? []).some((pattern) => standsFor(value, pattern)))
      .map((value) => ({ text: `${what} '${value}' is denied by the policy` })),
    ...values
      .filter((value) => admitted && !isOneOf(admitted, value))
      .map((value) => ({ text: `${what} '${value}' is not allowed by the policy` })),
    ...(required ?? [])
      .filter((pattern) => !values.some((value) => matchesWildcard(pattern, value)))
      .map((pattern) => ({
        text: `${what} matching '${pattern}' is required by the policy`,
        ...(values.length === 0 && { isMissing: true as const }),
      })),
  ]
}

/** A certificate for `*.example.com` is good for each name below, so also for one that is denied. */
const standsFor = (value: string, pattern: string): boolean => {
  if (!value.startsWith('*.')) return false
  const [label = ''] = pattern.split('.')
  return matchesWildcard(pattern, `${label.replaceAll('*', '') || 'x'}${value.slice(1)}`)
}

const renamed = <Name extends string>(
  rules: Listed<Name> | null | undefined,
  names: Readonly<Record<Name, string>>,
): Listed<string> | undefined => {
  const rename = (list: Name[] | undefined) => list?.map((name) => names[name])
  return rules
    ? { allowed: rename(rules.allowed), required: rename(rules.required), denied: rename(rules.denied) }
    : undefined
}

const usageViolations = (what: string, rules: Listed<string> | undefined, usages: readonly string[]): Violation[] => {
  if (!rules) return []
  const { allowed, required = [], denied = [] } = rules
  const admitted = allowed || rules.required ? [...(allowed ?? []), ...required] : undefined
  return [
    ...usages
      .filter((usage) => denied.includes(usage))
      .map((usage) => ({ text: `${what} '${usage}' is denied by the policy` })),
    ...usages
      .filter((usage) => admitted && !admitted.includes(usage))
      .map((usage) => ({ text: `${what} '${usage}' is not allowed by the policy` })),
    ...required
      .filter((usage) => !usages.includes(usage))
      .map((usage) => ({ text: `${what} '${usage}' is required by the policy`, isMissing: true as const })),
  ]
}

const algorithmViolations = ({ algorithms }: PolicyRules, asked: AskedCertificate): Violation[] => [
  ...algorithmViolation('key algorithm', algorithms?.keyAlgorithm, asked.keyAlgorithm),
  ...algorithmViolation('signature algorithm', algorithms?.signature, asked.signatureAlgorithm),
]

const algorithmViolation = (what: string, listed: string[] | undefined, asked: string | undefined): Violation[] => {
  if (!listed) return []
  if (asked === undefined) return [{ text: `${what} is required by the policy: name one`, isMissing: true }]
  return listed.map(algorithmOf).includes(asked) ? [] : [{ text: `${what} '${asked}' is not allowed by the policy` }]
}

const validityViolations = ({ validity }: PolicyRules, { validityMs }: AskedCertificate): Violation[] => {
  const { max } = validity ?? {}
  const maxMs = max === undefined ? undefined : parsePeriodMs(max)
  if (maxMs === undefined || validityMs === undefined || validityMs <= maxMs) return []
  return [{ text: `the validity is longer than the ${max} that the policy allows` }]
}

/** A policy that says nothing about authorities admits none. */
const basicConstraintViolations = (
  { basicConstraints }: PolicyRules,
  { isCa, pathLength }: AskedCertificate,
): Violation[] => {
  const { isCA = 'denied', maxPathLength = -1 } = basicConstraints ?? {}
  if (!isCa) {
    return isCA === 'required' ? [{ text: 'the policy requires a certificate of an authority', isMissing: true }] : []
  }
  if (isCA === 'denied') return [{ text: 'the policy does not allow a certificate of an authority' }]
  const isWithin = maxPathLength === -1 || (pathLength !== undefined && pathLength <= maxPathLength)
  return isWithin ? [] : [{ text: `the path length must be at most ${maxPathLength}, as the policy says` }]
}
