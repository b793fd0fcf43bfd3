import { compileGlob } from '../../lib/glob.ts'
import { LoginRefusal } from './login-refusal.ts'

/** What a verified JWT says. */
export type Claims = Readonly<Record<string, unknown>>

/** What it must say to be let in. Empty texts demand nothing; lists are alternatives. */
export type Bounds = {
  boundSubject: string
  boundAudiences: string
  boundClaims: Readonly<Record<string, string>>
}

type Scalar = string | number | boolean

/** Comma-separated alternatives are kept in one spelling. */
export const joinAlternatives = (text: string): string =>
  text
    .split(',')
    .map((part) => part.trim())
    .join(SEPARATOR)

const SEPARATOR = ', '
const INTEGER = /^-?\d{1,16}$/

/** Throws unless the claims are within all bounds. */
export const requireBounds = (claims: Claims, { boundSubject, boundAudiences, boundClaims }: Bounds): void => {
  if (boundSubject !== '' && !isSubjectAllowed(claims, boundSubject)) {
    throw new LoginRefusal('subject_not_allowed', 'The subject of the JWT is not allowed', { kind: 'forbidden' })
  }
  if (boundAudiences !== '' && !isOneOf(valuesOf(own(claims, 'aud')), boundAudiences)) {
    throw new LoginRefusal('audience_not_allowed', 'The audience of the JWT is not allowed')
  }
  for (const [path, alternatives] of Object.entries(boundClaims)) {
    const values = valuesAt(claims, path)
    if (values.length === 0) throw new LoginRefusal('missing_claim', `The JWT lacks the claim '${path}'`)
    if (!isOneOf(values, alternatives)) {
      throw new LoginRefusal('claim_not_allowed', `The claim '${path}' of the JWT is not allowed`)
    }
  }
}

/** The claims that a mapping of names to paths picks out, as text. Throws when one is missing. */
export const pickMetadata = (
  claims: Claims,
  mapping: Readonly<Record<string, string>> | null,
): Record<string, string> => {
  const picked = Object.entries(mapping ?? {}).map(([name, path]) => {
    const value = at(claims, path)
    if (!isPresent(value)) throw new LoginRefusal('missing_metadata_claim', `The JWT lacks the claim '${path}'`)
    return [name, String(value)]
  })
  return Object.fromEntries(picked) as Record<string, string>
}

const isSubjectAllowed = (claims: Claims, pattern: string): boolean => {
  const subject = own(claims, 'sub')
  return typeof subject === 'string' && matches(pattern, subject)
}

const isOneOf = (values: readonly Scalar[], alternatives: string): boolean =>
  values.length > 0 && alternatives.split(SEPARATOR).some((pattern) => allows(pattern, values))

/** One value of a list is enough, but for a pattern that excludes: it means that none may be that. */
const allows = (pattern: string, values: readonly Scalar[]): boolean => {
  const isMatch = (value: Scalar) => matches(pattern, value)
  return pattern.startsWith('!') ? values.every(isMatch) : values.some(isMatch)
}

/** A pattern is a text for equality, and for texts also a glob whose `*` crosses slashes. */
export const matches = (pattern: string, value: Scalar): boolean => {
  if (typeof value === 'boolean') return String(value) === pattern
  if (typeof value === 'number') return INTEGER.test(pattern) && Number(pattern) === value
  if (pattern === '' || value === '') return false
  return pattern === value || (compileGlob(withPlainBars(pattern), [], { crossesSlashes: true })?.(value) ?? false)
}

/** A bar outside parentheses is an ordinary character: subjects of some providers have one, as in `auth0|123`. */
const withPlainBars = (pattern: string): string => {
  let depth = 0
  return pattern.replace(/\\.|[()|]/gs, (mark) => {
    if (mark === '(') depth++
    if (mark === ')') depth--
    return mark === '|' && depth <= 0 ? '\\|' : mark
  })
}

/** By a path whose dots lead into nested objects. Empty where there is nothing. */
const valuesAt = (claims: Claims, path: string): Scalar[] => valuesOf(at(claims, path))

const valuesOf = (value: unknown): Scalar[] => (Array.isArray(value) ? value : [value]).filter(isPresent)

const at = (claims: Claims, path: string): unknown => {
  let value: unknown = claims
  for (const name of path.split('.')) value = own(value, name)
  return value
}

const own = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, name)
    ? (value as Claims)[name]
    : undefined

/** wire: zero, false and empty count as missing. A number that was rounded on reading could be another's. */
const isPresent = (value: unknown): value is Scalar => {
  switch (typeof value) {
    case 'string':
      return value !== ''
    case 'number':
      return value !== 0 && Math.abs(value) <= Number.MAX_SAFE_INTEGER
    case 'boolean':
      return value
    default:
      return false
  }
}
