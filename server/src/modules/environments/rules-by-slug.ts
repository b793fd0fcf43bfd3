import { compileConditions } from '../permissions/conditions.ts'
import type { Rule } from '../permissions/rule.ts'

/** Nobody in particular: what a template stands for differs from one holder to the next. */
const NOBODY = { id: '', username: '', metadata: {}, auth: {} }

/** Whether the rule keeps its holders out of an environment as long as that is called `from`, and not when it is called `to`. */
export const isUndoneBy = (rule: Rule, { from, to }: { from: string; to: string }): boolean => {
  const environment = rule.conditions?.['environment']
  if (environment === undefined) return false
  const checks = compileConditions({ ...rule, conditions: { environment } }, NOBODY)
  const holdsFor = (slug: string) => checks?.every(({ holds }) => holds(slug)) === true
  return rule.inverted ? holdsFor(from) && !holdsFor(to) : holdsFor(to) && !holdsFor(from)
}
