import type { Conditions, Rule } from './rule.ts'

/** The terse form of rules in the answers that list what someone may do. */
export type PackedRule =
  | [actions: string, subject: string]
  | [actions: string, subject: string, conditions: Conditions]
  | [actions: string, subject: string, conditions: Conditions | 0, inverted: 1]

export const packRule = ({ action, subject, conditions, inverted }: Rule): PackedRule => {
  const actions = action.join(',')
  if (inverted) return [actions, subject, conditions ?? 0, 1]
  return conditions ? [actions, subject, conditions] : [actions, subject]
}
