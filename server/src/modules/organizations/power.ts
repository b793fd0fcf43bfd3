import { isDeepStrictEqual } from 'node:util'
import { AppError } from '../../lib/app-error.ts'
import { umbrellaOf } from '../permissions/catalogue/legacy-actions.ts'
import type { Rule } from '../permissions/rule.ts'

type Permission = { action: string; subject: string }

/** More would make the answer long and tell nothing. */
const LISTED_MAX = 20

/** Anyone who may make members may make ordinary ones. */
const ORDINARY: ReadonlySet<string> = new Set(['member', 'no-access'])

/** Throws when the role holds more than whoever gives it: otherwise the right to edit members would be every right. */
export const requireMayGrant = (held: readonly Rule[], slug: string, rules: readonly Rule[]): void => {
  if (ORDINARY.has(slug)) return
  requireHeld(held, rules, `You may not give the role '${slug}', because it holds more than you do`)
}

/** What a role allows and denies now, and what it is to. */
type Rewriting = { readonly before: readonly Rule[]; readonly after: readonly Rule[] }

/**
 * Throws when a role would come to allow what its writer may not do: whoever holds it, the writer perhaps, would be raised.
 * What it allows already is left alone, as long as every denial stays. One that goes sets free what it kept back, also in
 * other roles of those who hold it: the writer must be allowed that too.
 */
export const requireMayWrite = (held: readonly Rule[], { before, after }: Rewriting): void => {
  const isAmong = (rules: readonly Rule[], rule: Rule) => rules.some((other) => isDeepStrictEqual(other, rule))
  const setFree = before.filter((rule) => rule.inverted && !isAmong(after, rule))
  const added = setFree.length > 0 ? after : after.filter((rule) => !isAmong(before, rule))
  requireHeld(
    held,
    [...setFree.map((rule) => ({ ...rule, inverted: false })), ...added],
    'You may not put into a role what you may not do yourself',
  )
}

const requireHeld = (held: readonly Rule[], wanted: readonly Rule[], message: string): void => {
  const missing = missingPermissions(held, wanted)
  if (missing.length > 0) throw new AppError('boundary', message, { details: { missingPermissions: missing } })
}

/** What the wanted rules allow and the held ones do not. A denial among the held ones takes the whole action away. */
const missingPermissions = (held: readonly Rule[], wanted: readonly Rule[]): Permission[] =>
  wanted
    .filter((rule) => !rule.inverted)
    .flatMap((rule) => rule.action.map((action) => ({ action, subject: rule.subject, conditions: rule.conditions })))
    .filter((permission) => !isHeld(held, permission))
    .filter(isFirst)
    .slice(0, LISTED_MAX)
    .map(({ action, subject }) => ({ action, subject }))

const isFirst = ({ action, subject }: Permission, index: number, all: readonly Permission[]): boolean =>
  all.findIndex((other) => other.action === action && other.subject === subject) === index

const isHeld = (held: readonly Rule[], { action, subject, conditions }: Permission & Pick<Rule, 'conditions'>) => {
  const names = [action, umbrellaOf(subject, action)]
  const concerns = (rule: Rule, isNamed: (name: string) => boolean) =>
    rule.subject === subject && rule.action.some(isNamed)
  const isDenied = held.some(
    (rule) => rule.inverted && concerns(rule, (name) => names.includes(name) || umbrellaOf(subject, name) === action),
  )
  if (isDenied) return false
  return held
    .filter((rule) => !rule.inverted && concerns(rule, (name) => names.includes(name)))
    .some((rule) => isUnconditional(rule) || isDeepStrictEqual(rule.conditions, conditions))
}

const isUnconditional = ({ conditions }: Rule) => conditions === undefined || Object.keys(conditions).length === 0
