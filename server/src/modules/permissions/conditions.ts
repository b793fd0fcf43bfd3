import { compileGlob } from '../../lib/glob.ts'
import type { Rule } from './rule.ts'
import { renderPattern, renderText, type TemplateValues } from './templates.ts'

type Entry = { readonly key: string; readonly value: string }

/** What a subject has under one name: nothing, a text, several texts, or entries of metadata. */
export type FieldValue = string | readonly (string | Entry)[] | undefined
export type Fields = Readonly<Record<string, FieldValue>>

/** One condition of a rule, ready to be asked. */
export type Check = {
  readonly field: string
  readonly holds: Predicate
  /** All texts for which it holds, where it names them one by one. */
  readonly texts: readonly string[] | undefined
}

type Predicate = (value: FieldValue) => boolean
/** Undefined for what cannot be evaluated: a shape nobody knows, a bad pattern, a template without a value. */
type Compiled = Predicate | undefined
type Context = { readonly values: TemplateValues; readonly isDeny: boolean }

/**
 * The checks that must all hold for the rule to match; undefined for a rule that matches nothing.
 * What cannot be evaluated fails closed: it makes an allow match nothing, and never keeps a deny from matching.
 */
export const compileConditions = (rule: Rule, values: TemplateValues): readonly Check[] | undefined => {
  const context = { values, isDeny: rule.inverted === true }
  const checks: Check[] = []
  for (const [field, condition] of Object.entries(rule.conditions ?? {})) {
    // wire: a field without any operator can be stored, and never holds.
    if (isObject(condition) && Object.keys(condition).length === 0) return undefined
    const holds = compileField(condition, context)
    if (holds) checks.push({ field, holds, texts: namedTexts(condition, context) })
    else if (!context.isDeny) return undefined
  }
  return checks
}

const compileField = (condition: unknown, context: Context): Compiled => {
  if (typeof condition === 'string') return OPERATORS.get('$eq')?.(condition, context)
  if (!isObject(condition)) return undefined
  return all(Object.entries(condition).map(([operator, operand]) => OPERATORS.get(operator)?.(operand, context)))
}

const namedTexts = (condition: unknown, context: Context): readonly string[] | undefined => {
  if (!isObject(condition)) return compileTexts([condition], context)
  const { $eq, $in = [$eq] } = condition
  return Object.keys(condition).length === 1 ? compileTexts($in, context) : undefined
}

const equal = (operand: unknown, context: Context): Compiled => {
  const expected = compileText(operand, context)
  if (expected === undefined) return undefined
  return (value) => (typeof value === 'string' ? value === expected : (value ?? []).includes(expected))
}

/** A missing field is not equal to anything. */
const notEqual = (operand: unknown, context: Context): Compiled => {
  const isEqual = equal(operand, context)
  return isEqual && ((value) => !isEqual(value))
}

const oneOf = (operand: unknown, context: Context): Compiled => {
  const expected = compileTexts(operand, context)
  if (!expected) return undefined
  const texts = new Set<unknown>(expected)
  return (value) => (typeof value === 'string' ? texts.has(value) : (value ?? []).some((element) => texts.has(element)))
}

const containsAll = (operand: unknown, context: Context): Compiled => {
  const expected = compileTexts(operand, context)
  if (!expected) return undefined
  return (value) => expected.every((text) => (typeof value === 'string' ? value === text : value?.includes(text)))
}

/** A missing field or a list matches no pattern. */
const matchesGlob = (operand: unknown, { values, isDeny }: Context): Compiled => {
  if (typeof operand !== 'string') return undefined
  const { pattern, fillings, isComplete } = renderPattern(operand, values)
  const glob = isComplete || isDeny ? compileGlob(pattern, fillings) : undefined
  return glob && ((value) => typeof value === 'string' && glob(value))
}

/** One and the same entry must satisfy what is said of its key and of its value. */
const hasEntry = (operand: unknown, context: Context): Compiled => {
  if (!isObject(operand)) return undefined
  const { key: keyCondition, value: valueCondition, ...others } = operand
  const holdsForKey = keyCondition === undefined ? always : compileField(keyCondition, context)
  const holdsForValue = valueCondition === undefined ? always : compileField(valueCondition, context)
  if (!holdsForKey || !holdsForValue || Object.keys(others).length > 0) return undefined
  return (value) =>
    Array.isArray(value) &&
    value.some((entry: string | Entry) => {
      return typeof entry === 'object' && holdsForKey(entry.key) && holdsForValue(entry.value)
    })
}

const OPERATORS: ReadonlyMap<string, (operand: unknown, context: Context) => Compiled> = new Map([
  ['$eq', equal],
  ['$ne', notEqual],
  ['$in', oneOf],
  ['$all', containsAll],
  ['$glob', matchesGlob],
  ['$elemMatch', hasEntry],
])

/** A deny is held against the text as it is written when a template has no value; an allow is not usable then. */
const compileText = (operand: unknown, { values, isDeny }: Context): string | undefined => {
  if (typeof operand !== 'string') return undefined
  const { text, isComplete } = renderText(operand, values)
  return isComplete || isDeny ? text : undefined
}

const compileTexts = (operand: unknown, context: Context): readonly string[] | undefined => {
  if (!Array.isArray(operand)) return undefined
  const texts = operand.map((text) => compileText(text, context))
  return texts.every((text) => text !== undefined) ? texts : undefined
}

const always: Predicate = () => true

const all = (predicates: readonly Compiled[]): Compiled => {
  const [first, second] = predicates
  if (!first || !predicates.every((predicate) => predicate !== undefined)) return undefined
  return second ? (value) => predicates.every((holds) => holds(value)) : first
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
