import { z } from 'zod'
import { compileGlob } from '../../lib/glob.ts'
import type { ConditionField, ConditionSet, Operator } from './catalogue/condition-sets.ts'
import type { Conditions } from './rule.ts'
import { withoutTemplates } from './templates.ts'

const TEXT_CHARACTERS_MAX = 1024
const LIST_MAX = 1000
/** Conditions of subjects that are gone are kept as they are; nobody needs them deep. */
const KEPT_DEPTH_MAX = 8

/** The database keeps no text with a NUL. */
const NUL = '\0'

export const PlainText = z
  .string()
  .max(TEXT_CHARACTERS_MAX)
  .refine((text) => !text.includes(NUL), 'A NUL character is not allowed')
const Text = PlainText.min(1)
const ListedText = PlainText.trim().min(1)
const Pattern = Text.refine((text) => compileGlob(withoutTemplates(text)) !== undefined, 'This is not a usable pattern')

const asPath = (schema: z.ZodString) =>
  schema.refine((text) => text.startsWith('/'), "A secret path has to begin with '/'")

const operatorsOf = (wrap: (schema: z.ZodString) => z.ZodType<string>): Record<Operator, z.ZodType> => ({
  $eq: wrap(Text),
  $ne: wrap(Text),
  $in: z.array(wrap(ListedText)).max(LIST_MAX),
  $all: z.array(wrap(ListedText)).max(LIST_MAX),
  $glob: Pattern,
})
const TEXT_OPERATORS = operatorsOf((schema) => schema)
const PATH_OPERATORS = operatorsOf(asPath)
const PlainPath = asPath(PlainText)

/** A mapping that may hold any of these operators, and nothing else. */
const operators = (names: readonly Operator[], schemas: Record<Operator, z.ZodType>) =>
  z.strictObject(Object.fromEntries(names.map((name) => [name, schemas[name].optional()])))

const buildField = (field: ConditionField): z.ZodType => {
  if (field.kind === 'metadata') {
    const ofEntry = operators(field.operators, TEXT_OPERATORS).optional()
    return z.strictObject({ $elemMatch: z.strictObject({ key: ofEntry, value: ofEntry }) })
  }
  const byOperator = operators(field.operators, field.isPath ? PATH_OPERATORS : TEXT_OPERATORS)
  return field.acceptsPlainText ? z.union([field.isPath ? PlainPath : PlainText, byOperator]) : byOperator
}

const fieldSchemas = new Map<ConditionField, z.ZodType>()
const setSchemas = new Map<ConditionSet | undefined, z.ZodType<Conditions>>()

/** The same field means the same schema: there are a handful of them in the whole catalogue. */
const fieldSchema = (field: ConditionField): z.ZodType => remember(fieldSchemas, field, () => buildField(field))

/** Unknown fields and operators are refused: to drop one would silently widen a grant. */
export const conditionsSchema = (set: ConditionSet | undefined): z.ZodType<Conditions> =>
  remember(setSchemas, set, () =>
    z.strictObject(
      Object.fromEntries(Object.entries(set ?? {}).map(([name, field]) => [name, fieldSchema(field).optional()])),
    ),
  )

export const KeptConditions = z
  .record(z.string(), z.unknown())
  .refine((value) => canBeKept(value, KEPT_DEPTH_MAX), 'Conditions may not be nested this deep, nor hold a NUL')

const canBeKept = (value: unknown, depthMax: number): boolean => {
  if (typeof value === 'string') return !value.includes(NUL)
  if (typeof value !== 'object' || value === null) return true
  return (
    depthMax > 0 &&
    Object.entries(value)
      .flat()
      .every((inner) => canBeKept(inner, depthMax - 1))
  )
}

const remember = <Key, Value>(known: Map<Key, Value>, key: Key, build: () => Value): Value => {
  let value = known.get(key)
  if (value === undefined) known.set(key, (value = build()))
  return value
}
