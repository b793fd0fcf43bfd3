import { z } from 'zod'

type Path = readonly PropertyKey[]
type Issue = z.core.$ZodIssue
type Bounds = { type: string; inclusive: boolean; exact: boolean }

/** What is wrong, in the form that clients of this interface know (that of Zod 3). */
type Fault =
  | { code: 'invalid_type'; expected: string; received: string }
  | { code: 'invalid_literal'; received: unknown; expected: unknown }
  | { code: 'invalid_enum_value'; received: string; options: readonly unknown[] }
  | { code: 'invalid_string'; validation: string }
  | ({ code: 'too_small'; minimum: number } & Bounds)
  | ({ code: 'too_big'; maximum: number } & Bounds)
  | { code: 'not_multiple_of'; multipleOf: number }
  | { code: 'unrecognized_keys'; keys: readonly string[] }
  | { code: 'invalid_union_discriminator'; options: readonly unknown[] }
  | { code: 'invalid_union'; unionErrors: readonly { issues: WireIssue[]; name: 'ZodError' }[] }
  | { code: 'custom'; params?: unknown }

export type WireIssue = Fault & { path: Path; message: string }

/** More would only serve to make a small request cost a large response. */
const ISSUES_MAX = 100
const ECHO_LENGTH_MAX = 200

/** Zod asks this only where the schema has no message of its own; an empty one is filled in from the fault. */
const noMessage = () => ''

export const parseInput = (schema: z.core.$ZodType, input: unknown): { value: unknown } | { issues: WireIssue[] } => {
  const context = { async: false, reportInput: true, error: noMessage } as const
  const result = schema._zod.run({ value: input, issues: [] }, context)
  if (result instanceof Promise) throw new TypeError('A schema of the wire must not be asynchronous')
  if (result.issues.length === 0) return { value: result.value }

  const issues = result.issues.slice(0, ISSUES_MAX).map((raw) => z.core.util.finalizeIssue(raw, context, z.config()))
  return { issues: allWireIssues(issues, []) }
}

const allWireIssues = (issues: readonly Issue[], parent: Path): WireIssue[] => {
  const found = issues.slice(0, ISSUES_MAX).flatMap((issue) => wireIssues(issue, parent))
  return found.slice(0, ISSUES_MAX).filter((issue) => !isAfterthought(issue, found))
}

/** Zod measures also what is of the wrong type, if it has a length. */
const isAfterthought = ({ code, path }: WireIssue, all: readonly WireIssue[]): boolean =>
  (code === 'too_small' || code === 'too_big') &&
  all.some((other) => other.code === 'invalid_type' && other.path.join('/') === path.join('/'))

const wireIssues = (issue: Issue, parent: Path): WireIssue[] => {
  const path = [...parent, ...issue.path]
  if (issue.code === 'invalid_key' || issue.code === 'invalid_element') return allWireIssues(issue.issues, path)
  if (issue.code !== 'invalid_union') return [wireIssue(faultOf(issue), issue, path)]

  if (issue.errors.length === 0) {
    const options = 'options' in issue ? (issue.options ?? []) : []
    return [wireIssue({ code: 'invalid_union_discriminator', options }, issue, path)]
  }
  // A branch whose shape fits is the one that was meant: its faults are told as if there were no other.
  const meant = issue.errors.find((issues) => issues.every(({ code }) => !SHAPE_FAULTS.has(code)))
  if (meant) return allWireIssues(meant, path)

  const unionErrors = issue.errors.map((issues) => ({ issues: allWireIssues(issues, path), name: 'ZodError' as const }))
  return [wireIssue({ code: 'invalid_union', unionErrors }, issue, path)]
}

const SHAPE_FAULTS: ReadonlySet<string> = new Set(['invalid_type', 'invalid_value', 'invalid_union'])

const wireIssue = (fault: Fault, { message }: Issue, path: Path): WireIssue => ({
  ...fault,
  path,
  message: message === '' ? usualMessage(fault) : message,
})

const faultOf = (issue: Exclude<Issue, { errors: unknown } | { issues: unknown }>): Fault => {
  switch (issue.code) {
    case 'invalid_type':
      return typeFault(issue.expected, issue.input)
    case 'invalid_value':
      return valueFault(issue.values, issue.input)
    case 'too_small':
      return { code: issue.code, minimum: Number(issue.minimum), ...bounds(issue) }
    case 'too_big':
      return { code: issue.code, maximum: Number(issue.maximum), ...bounds(issue) }
    case 'invalid_format':
      return { code: 'invalid_string', validation: FORMATS[issue.format] ?? issue.format }
    case 'not_multiple_of':
      return { code: issue.code, multipleOf: issue.divisor }
    case 'unrecognized_keys':
      return { code: issue.code, keys: issue.keys.slice(0, ISSUES_MAX).map(shortened) }
    case 'custom':
      return { code: issue.code, ...(issue.params && { params: issue.params }) }
  }
}

const TYPES: Partial<Record<string, string>> = { int: 'integer', record: 'object', tuple: 'array' }
const FORMATS: Partial<Record<string, string>> = {
  guid: 'uuid',
  ipv4: 'ip',
  ipv6: 'ip',
  cidrv4: 'cidr',
  cidrv6: 'cidr',
}

const typeFault = (expected: string, input: unknown): Fault => ({
  code: 'invalid_type',
  expected: TYPES[expected] ?? expected,
  received: expected === 'int' && Number.isFinite(input) ? 'float' : typeOf(input),
})

/** A set of strings reads as an enumeration, anything else as a literal. */
const valueFault = (values: readonly unknown[], input: unknown): Fault => {
  if (!values.every((value) => typeof value === 'string')) {
    return {
      code: 'invalid_literal',
      received: typeof input === 'string' ? shortened(input) : input,
      expected: values[0],
    }
  }
  if (typeof input === 'string') return { code: 'invalid_enum_value', received: shortened(input), options: values }
  return { code: 'invalid_type', expected: quoted(values), received: typeOf(input) }
}

const bounds = ({ origin, inclusive = true, exact = false }: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig) => ({
  type: origin === 'int' ? 'number' : origin,
  inclusive,
  exact,
})

const typeOf = (value: unknown): string => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isNaN(value) ? 'nan' : typeof value
}

const shortened = (text: string) => (text.length > ECHO_LENGTH_MAX ? `${text.slice(0, ECHO_LENGTH_MAX)}…` : text)

const quoted = (values: readonly unknown[], separator = ' | ') =>
  values.map((value) => `'${String(value)}'`).join(separator)

const usualMessage = (fault: Fault): string => {
  switch (fault.code) {
    case 'invalid_type':
      return fault.received === 'undefined' ? 'Required' : `Expected ${fault.expected}, received ${fault.received}`
    case 'invalid_literal':
      return `Invalid literal value, expected ${JSON.stringify(fault.expected)}`
    case 'invalid_enum_value':
      return `Invalid enum value. Expected ${quoted(fault.options)}, received '${fault.received}'`
    case 'invalid_string':
      return fault.validation === 'regex' ? 'Invalid' : `Invalid ${fault.validation}`
    case 'too_small':
      return boundMessage(fault, fault.minimum, ['greater than', 'at least', 'more than'])
    case 'too_big':
      return boundMessage(fault, fault.maximum, ['less than', 'at most', 'less than'])
    case 'not_multiple_of':
      return `Number must be a multiple of ${fault.multipleOf}`
    case 'unrecognized_keys':
      return `Unrecognized key(s) in object: ${quoted(fault.keys, ', ')}`
    case 'invalid_union_discriminator':
      return `Invalid discriminator value. Expected ${quoted(fault.options)}`
    case 'invalid_union':
    case 'custom':
      return 'Invalid input'
  }
}

const boundMessage = ({ type, inclusive, exact }: Bounds, bound: number, words: [string, string, string]): string => {
  const [compared, atBound, beyondBound] = words
  const amount = exact ? 'exactly' : inclusive ? atBound : beyondBound
  if (type === 'string') return `String must contain ${amount} ${bound} character(s)`
  if (type === 'array') return `Array must contain ${amount} ${bound} element(s)`
  if (type === 'number') return `Number must be ${compared}${inclusive ? ' or equal to' : ''} ${bound}`
  return 'Invalid input'
}
