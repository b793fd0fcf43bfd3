import type { Clock } from '../../platform/clock.ts'
import { type Check, compileConditions, type Fields } from './conditions.ts'
import { type Grant, isActive, type Validity } from './rule.ts'
import type { TemplateValues } from './templates.ts'

type CompiledRule = { readonly checks: readonly Check[]; readonly validity: Validity | undefined }

/** Most rules name their environments. */
const INDEXED_FIELD = 'environment'

/** The rules about one action on one subject, ready to be asked. */
export class RuleSet {
  readonly #allows: IndexedRules
  readonly #denies: IndexedRules
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
    this.#allows = new IndexedRules(allows)
    this.#denies = new IndexedRules(denies)
    this.#unconditionalDenies = denies.filter(({ checks }) => checks.length === 0)
    this.#hasTemporary = [...allows, ...denies].some(({ validity }) => validity !== undefined)
  }

  /** Whether something with these fields is allowed; without fields, whether anything is that no deny covers wholly. */
  allow(fields: Fields | undefined, clock: Clock): boolean {
    const now = this.#hasTemporary ? clock.now() : 0
    return fields
      ? this.#allows.someMatch(fields, now) && !this.#denies.someMatch(fields, now)
      : someActive(this.#allows.all, now) && !someActive(this.#unconditionalDenies, now)
  }

  /** What is left to be asked once some fields are known. */
  narrow(known: Fields, now: number): NarrowedRules {
    const left = (rules: readonly CompiledRule[]) =>
      rules.flatMap(({ checks, validity }) => {
        if (!isActive(validity, now)) return []
        const isKnown = ({ field }: Check) => Object.hasOwn(known, field)
        return hold(checks.filter(isKnown), known) ? [checks.filter((check) => !isKnown(check))] : []
      })
    return new NarrowedRules(left(this.#allows.all), left(this.#denies.all))
  }
}

/** A question about one text looks only at the rules that name it and at those that name none. */
class IndexedRules {
  readonly all: readonly CompiledRule[]
  readonly #naming = new Map<string, CompiledRule[]>()
  readonly #others: CompiledRule[] = []

  constructor(all: readonly CompiledRule[]) {
    this.all = all
    for (const { checks, validity } of all) {
      const texts = checks.find(({ field }) => field === INDEXED_FIELD)?.texts
      if (!texts) this.#others.push({ checks, validity })
      const rest = { checks: checks.filter(({ field }) => field !== INDEXED_FIELD), validity }
      for (const text of texts ?? []) {
        const naming = this.#naming.get(text) ?? []
        naming.push(rest)
        this.#naming.set(text, naming)
      }
    }
  }

  someMatch(fields: Fields, now: number): boolean {
    const value = fields[INDEXED_FIELD]
    if (typeof value !== 'string') return someMatch(this.all, fields, now)
    return someMatch(this.#naming.get(value) ?? [], fields, now) || someMatch(this.#others, fields, now)
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
