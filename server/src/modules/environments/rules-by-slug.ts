import { compileConditions } from '../permissions/conditions.ts'
import type { Rule } from '../permissions/rule.ts'

/** Nobody in particular: what a template stands for differs from one holder to the next. */
const NOBODY = { id: '', username: '', metadata: {}, auth: {} }

/**
 * Whether the rule keeps its holders out of an environment as long as that is called `from`, and not when it is called `to`.
 * An allow that names `to` is meant to let them in. What a template makes of a rule is not known: the worst is assumed.
 */
export const isUndoneBy = (rule: Rule, { from, to }: { from: string; to: string }): boolean => {
  const environment = rule.conditions?.['environment']
  if (environment === undefined) return false
  const parts = partsOf(environment)
  if (JSON.stringify(environment).includes('{{')) return rule.inverted === true || parts.some(isNegation)
  const holds = (condition: unknown, slug: string) =>
    compileConditions({ ...rule, conditions: { environment: condition } }, NOBODY)?.every((check) =>
      check.holds(slug),
    ) === true
  if (rule.inverted) return holds(environment, from) && !holds(environment, to)
  const broken = parts.filter((part) => !holds(part, from))
  return holds(environment, to) && broken.length > 0 && broken.every(isNegation)
}

/** Each operator alone; all of them must hold. */
const partsOf = (condition: unknown): Readonly<Record<string, unknown>>[] =>
  typeof condition === 'object' && condition !== null
    ? Object.entries(condition).map(([operator, operand]: [string, unknown]) => ({ [operator]: operand }))
    : [{ $eq: condition }]

/** No slug has the characters by which a pattern says what is not to match. */
const isNegation = ({ $ne, $glob }: Readonly<Record<string, unknown>>): boolean =>
  $ne !== undefined || (typeof $glob === 'string' && /[!^]/.test($glob))
