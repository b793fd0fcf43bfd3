import { AppError } from '../../lib/app-error.ts'
import type { Clock } from '../../platform/clock.ts'
import type { ConditionSet } from './catalogue/condition-sets.ts'
import { umbrellaOf } from './catalogue/legacy-actions.ts'
import type { ProjectSubjects } from './catalogue/project.ts'
import type { Catalogue } from './catalogue/subject.ts'
import type { Fields, FieldValue } from './conditions.ts'
import { type Grant, isActive, type Rule } from './rule.ts'
import { RuleSet } from './rule-set.ts'
import type { TemplateValues } from './templates.ts'

export type ProjectAbility = Ability<ProjectSubjects>

export type SubjectOf<C extends Catalogue> = keyof C & string
export type ActionOf<C extends Catalogue, S extends SubjectOf<C>> = C[S]['actions'][number]
/** The fields that conditions on the subject can name; a subject without conditions has none. */
export type FieldsOf<C extends Catalogue, S extends SubjectOf<C>> = S extends unknown
  ? C[S]['conditions'] extends ConditionSet
    ? { readonly [Field in keyof C[S]['conditions']]?: FieldValue }
    : undefined
  : never

type Options = { readonly clock: Clock; readonly values: TemplateValues }

/**
 * What one actor may do in one project, or in one organization.
 * Nothing is allowed that no rule allows, and a deny that matches beats every allow, whatever their order and source.
 */
export class Ability<C extends Catalogue> {
  readonly #grants: readonly Grant[]
  readonly #clock: Clock
  readonly #values: TemplateValues
  /** By subject and action, filled as questions come: there are far fewer of them than there are actions. */
  readonly #ruleSets = new Map<string, Map<string, readonly RuleSet[]>>()

  constructor(grants: readonly Grant[], { clock, values }: Options) {
    this.#grants = grants
    this.#clock = clock
    this.#values = values
  }

  /** Without fields the question is about the subject as such: can there be one on which the action is allowed? */
  can<S extends SubjectOf<C>>(action: ActionOf<C, S>, subject: S, fields?: FieldsOf<C, S>): boolean {
    for (const rules of this.#ruleSetsFor(action, subject)) if (rules.allow(fields, this.#clock)) return true
    return false
  }

  require<S extends SubjectOf<C>>(action: ActionOf<C, S>, subject: S, fields?: FieldsOf<C, S>): void {
    if (this.can(action, subject, fields)) return
    throw new AppError('permission-denied', `The actor is not allowed to ${action} on ${subject}`, {
      details: this.#considered(action, subject).map((rule) => ({
        action: rule.action,
        inverted: rule.inverted === true,
        subject: rule.subject,
        ...(rule.conditions && { conditions: rule.conditions }),
      })),
    })
  }

  /** Whether the action may be allowed on something that has these fields, whatever its other ones are. */
  canSome<S extends SubjectOf<C>>(action: ActionOf<C, S>, subject: S, known: FieldsOf<C, S>): boolean {
    const now = this.#clock.now()
    return this.#ruleSetsFor(action, subject).some((rules) => rules.narrow(known ?? {}, now).canAllow)
  }

  /** For many questions that share some fields: `can`, with those settled once. To be used at once, not kept. */
  within<S extends SubjectOf<C>>(action: ActionOf<C, S>, subject: S, known: FieldsOf<C, S>): (rest: Fields) => boolean {
    const now = this.#clock.now()
    const narrowed = this.#ruleSetsFor(action, subject)
      .map((rules) => rules.narrow(known ?? {}, now))
      .filter((rules) => rules.canAllow)
    return (rest) => narrowed.some((rules) => rules.allow(rest))
  }

  /** The rules in force, denies last. */
  activeRules(): readonly Rule[] {
    const now = this.#clock.now()
    const rules = this.#grants.flatMap((grant) => (isActive(grant.validity, now) ? grant.rules : []))
    return [...rules.filter((rule) => !rule.inverted), ...rules.filter((rule) => rule.inverted)]
  }

  /** When a grant next begins or ends; undefined when none will. */
  nextChangeAt(): number | undefined {
    const now = this.#clock.now()
    const moments = this.#grants
      .flatMap(({ validity }) => (validity ? [validity.startsAt, validity.endsAt] : []))
      .filter((moment) => moment > now)
    return moments.length === 0 ? undefined : Math.min(...moments)
  }

  #considered(action: string, subject: string): readonly Rule[] {
    const actions = actionsFor(action, subject)
    return this.activeRules().filter((rule) => actions.some((name) => concerns(rule, name, subject)))
  }

  #ruleSetsFor(action: string, subject: string): readonly RuleSet[] {
    let ofSubject = this.#ruleSets.get(subject)
    if (!ofSubject) this.#ruleSets.set(subject, (ofSubject = new Map<string, readonly RuleSet[]>()))
    let ruleSets = ofSubject.get(action)
    if (!ruleSets) ofSubject.set(action, (ruleSets = this.#compile(action, subject)))
    return ruleSets
  }

  #compile(action: string, subject: string): readonly RuleSet[] {
    return actionsFor(action, subject).map((name) => {
      const grants = this.#grants.map(({ rules, validity }) => ({
        rules: rules.filter((rule) => concerns(rule, name, subject)),
        validity,
      }))
      return new RuleSet(grants, this.#values)
    })
  }
}

/** Any of these, allowed, allows the action: itself, or the older one it was split off from. */
const actionsFor = (action: string, subject: string): readonly string[] => {
  const umbrella = umbrellaOf(subject, action)
  return umbrella === undefined ? [action] : [action, umbrella]
}

/** A deny of an action that has been split off denies the older action as well. */
const concerns = (rule: Rule, action: string, subject: string): boolean =>
  rule.subject === subject &&
  rule.action.some((name) => name === action || (rule.inverted && umbrellaOf(subject, name) === action))
