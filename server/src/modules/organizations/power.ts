import { isDeepStrictEqual } from 'node:util'
import { AppError } from '../../lib/app-error.ts'
import type { Rule } from '../permissions/rule.ts'

type Permission = { action: string; subject: string }

/** More would make the answer long and tell nothing. */
const LISTED_MAX = 20

/** Anyone who may make members may make ordinary ones. */
const ORDINARY: ReadonlySet<string> = new Set(['member', 'no-access'])

/** Throws when the role holds more than whoever gives it: otherwise the right to edit members would be every right. */
export const requireMayGrant = (held: readonly Rule[], slug: string, rules: readonly Rule[]): void => {
  const missing = ORDINARY.has(slug) ? [] : missingPermissions(held, rules)
  if (missing.length === 0) return
  throw new AppError('boundary', `You may not give the role '${slug}', because it holds more than you do`, {
    details: { missingPermissions: missing },
  })
}

/** What the wanted rules allow and the held ones do not. A denial among the held ones takes the whole action away. */
const missingPermissions = (held: readonly Rule[], wanted: readonly Rule[]): Permission[] =>
  wanted
    .filter((rule) => !rule.inverted)
    .flatMap((rule) => rule.action.map((action) => ({ action, subject: rule.subject, conditions: rule.conditions })))
    .filter((permission) => !isHeld(held, permission))
    .slice(0, LISTED_MAX)
    .map(({ action, subject }) => ({ action, subject }))

const isHeld = (held: readonly Rule[], { action, subject, conditions }: Permission & Pick<Rule, 'conditions'>) => {
  const rules = held.filter((rule) => rule.subject === subject && rule.action.includes(action))
  if (rules.some((rule) => rule.inverted)) return false
  return rules.some((rule) => isUnconditional(rule) || isDeepStrictEqual(rule.conditions, conditions))
}

const isUnconditional = ({ conditions }: Rule) => conditions === undefined || Object.keys(conditions).length === 0
