import type { Clock } from '../../platform/clock.ts'
import { type Check, compileConditions, type Fields } from './conditions.ts'
import { type Grant, isActive, type Validity } from './rule.ts'
import type { TemplateValues } from './templates.ts'

type CompiledRule = { readonly checks: readonly Check[]; readonly validity: Validity | undefined }

/** The rules about one action on one subject, ready to be asked. */
export class RuleSet {
  readonly #allows: readonly CompiledRule[]
  readonly #denies: readonly CompiledRule[]
  readonly #unconditionalDenies: readonly CompiledRule[]
  readonly #hasTemporary: boolean

  constructor(grants: readonly Grant[], values: TemplateValues) {
    const allows: CompiledRule[] = []
    const denies: CompiledRule[] = []
    for (const { rules, validity } of grants) {
      for (const rule of rules) {
        const checks = compileConditions(rule, values)
        if (checks) (rule.inverted ? denies : allows).push({ checks, validity })
      }
    }
    this.#allows = allows
    this.#denies = denies
    this.#unconditionalDenies = denies.filter(({ checks }) => checks.length === 0)
    this.#hasTemporary = [...allows, ...denies].some(({ validity }) => validity !== undefined)
  }

  /** Whether something with these fields is allowed; without fields, whether anything is that no deny covers wholly. */
  allow(fields: Fields | undefined, clock: Clock): boolean {
    const now = this.#hasTemporary ? clock.now() : 0
    return fields
      ? someMatch(this.#allows, fields, now) && !someMatch(this.#denies, fields, now)
      : someActive(this.#allows, now) && !someActive(this.#unconditionalDenies, now)
  }

  /** What is left to be asked once some fields are known. */
  narrow(known: Fields, now: number): NarrowedRules {
    const left = (rules: readonly CompiledRule[]) =>
      rules.flatMap(({ checks, validity }) => {
        if (!isActive(validity, now)) return []
        const isKnown = ({ field }: Check) => Object.hasOwn(known, field)
        return hold(checks.filter(isKnown), known) ? [checks.filter((check) => !isKnown(check))] : []
      })
    return new NarrowedRules(left(this.#allows), left(this.#denies))
  }
}

class NarrowedRules {
  readonly canAllow: boolean
  readonly #allows: readonly (readonly Check[])[]
  readonly #denies: readonly (readonly Check[])[]

  constructor(allows: readonly (readonly Check[])[], denies: readonly (readonly Check[])[]) {
    this.#allows = allows
    this.#denies = denies
    this.canAllow = allows.length > 0 && denies.every((checks) => checks.length > 0)
  }

  allow(rest: Fields): boolean {
    const isMatch = (checks: readonly Check[]) => hold(checks, rest)
    return this.#allows.some(isMatch) && !this.#denies.some(isMatch)
  }
}

const someActive = (rules: readonly CompiledRule[], now: number): boolean =>
  rules.some(({ validity }) => isActive(validity, now))

const someMatch = (rules: readonly CompiledRule[], fields: Fields, now: number): boolean => {
  for (const { checks, validity } of rules) if (isActive(validity, now) && hold(checks, fields)) return true
  return false
}

const hold = (checks: readonly Check[], fields: Fields): boolean => {
  for (const { field, holds } of checks) if (!holds(fields[field])) return false
  return true
}
