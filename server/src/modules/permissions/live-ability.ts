import { AppError } from '../../lib/app-error.ts'
import type { Ability, ActionOf, FieldsOf, SubjectOf } from './ability.ts'
import type { Catalogue } from './catalogue/subject.ts'

type Reload<C extends Catalogue> = () => Promise<Ability<C>>

/**
 * An ability that may come from a cache. What it allows holds, because the cache is trusted; what it refuses is asked
 * again of the database, so that a right granted a moment ago by another process is not denied.
 */
export class LiveAbility<C extends Catalogue> {
  #ability: Ability<C>
  #reload: Reload<C> | undefined

  /** Without `reload`, the ability is fresh from the database. */
  constructor(ability: Ability<C>, reload: Reload<C> | undefined) {
    this.#ability = ability
    this.#reload = reload
  }

  /** For questions about many things at once. */
  get present(): Ability<C> {
    return this.#ability
  }

  async can<S extends SubjectOf<C>>(action: ActionOf<C, S>, subject: S, fields?: FieldsOf<C, S>): Promise<boolean> {
    if (this.#ability.can(action, subject, fields)) return true
    return (await this.#refresh()) && this.#ability.can(action, subject, fields)
  }

  async require<S extends SubjectOf<C>>(action: ActionOf<C, S>, subject: S, fields?: FieldsOf<C, S>): Promise<void> {
    if (!(await this.can(action, subject, fields))) this.#ability.require(action, subject, fields)
  }

  /** For handing out power over others: same question, told as a boundary that was reached. */
  async requireBoundary<S extends SubjectOf<C>>(
    action: ActionOf<C, S>,
    subject: S,
    fields?: FieldsOf<C, S>,
  ): Promise<void> {
    if (await this.can(action, subject, fields)) return
    throw new AppError('boundary', `You may not do this, because you are not allowed to ${action} on ${subject}`, {
      details: { missingPermissions: [{ action, subject }] },
    })
  }

  /** For a rule that asks several questions; `check` throws its refusal. */
  async satisfy(check: (ability: Ability<C>) => void): Promise<void> {
    try {
      check(this.#ability)
    } catch (refusal) {
      if (!(await this.#refresh())) throw refusal
      check(this.#ability)
    }
  }

  /** True when there was something fresher to ask. */
  async #refresh(): Promise<boolean> {
    const reload = this.#reload
    if (!reload) return false
    this.#reload = undefined
    this.#ability = await reload()
    return true
  }
}
