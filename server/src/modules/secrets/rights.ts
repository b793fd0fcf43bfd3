import { badRequest } from '../../lib/app-error.ts'
import type { Database, Tx } from '../../platform/db/db.ts'
import { isUniqueViolation } from '../../platform/db/failures.ts'
import type { Ability } from './places.service.ts'
import type { fieldsOf } from './visibility.ts'

type Action = 'describeSecret' | 'readValue' | 'create' | 'edit' | 'delete'
type Fields = ReturnType<typeof fieldsOf>

/**
 * Questions about secrets whose tags are known only once their rows are locked. They are asked without leaving the
 * transaction; a refusal ends it, is asked again of the database, and if it does not hold the work is done anew.
 */
export class Rights {
  readonly #ability: Ability
  #refused: { error: unknown; action: Action; fields: Fields } | undefined

  constructor(ability: Ability) {
    this.#ability = ability
  }

  /** Before the transaction: whether there can be a secret of that name, with whatever tags, on which the action is allowed. */
  async mayBeAllowed(
    action: Action,
    { environment, secretPath, secretName }: Omit<Fields, 'secretTags'>,
  ): Promise<void> {
    const known = { environment, secretPath, secretName }
    await this.#ability.satisfy((ability) => {
      if (!ability.canSome(action, 'secrets', known)) ability.require(action, 'secrets', known)
    })
  }

  can(action: Action, fields: Fields): boolean {
    return this.#ability.present.can(action, 'secrets', fields)
  }

  require(action: Action, fields: Fields): void {
    try {
      this.#ability.present.require(action, 'secrets', fields)
    } catch (error) {
      this.#refused = { error, action, fields }
      throw error
    }
  }

  /** Otherwise what is allowed on one secret is allowed on all. */
  get areConditional(): boolean {
    return this.#ability.present
      .activeRules()
      .some(({ subject, conditions }) => subject === 'secrets' && conditions !== undefined)
  }

  /** Nobody gives a secret a name, tags or a place under which they may read what is kept from them. */
  requireUncoversNothing(before: Fields, after: Fields): void {
    if (this.can('readValue', after)) this.require('readValue', before)
  }

  async transaction<T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
    try {
      return await db.transaction(work)
    } catch (error) {
      const refused = this.#refused
      if (refused?.error !== error || !refused) throw error
      await this.#ability.require(refused.action, 'secrets', refused.fields)
      return db.transaction(work)
    }
  }

  /** The same for work that gives names: when someone else takes one meanwhile, it is done anew and finds it taken. */
  async naming<T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
    try {
      return await this.transaction(db, work)
    } catch (error) {
      if (!isUniqueViolation(error)) throw error
      return await this.transaction(db, work).catch(asTaken)
    }
  }
}

const asTaken = (error: unknown): never => {
  throw isUniqueViolation(error) ? badRequest('A secret with the new name already exists') : error
}
