import { CompiledQuery, type RawBuilder, sql } from 'kysely'
import type { Db } from './db.ts'

/** Stands for a value until the statement is run. */
class Slot {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/**
 * A statement that is put together at its first run and only given its values after that: for a long one on a hot path,
 * to write it each time costs the server more than all else it does about it.
 */
export const statement = <Row, Values extends Record<string, unknown>>(
  write: (value: (name: keyof Values & string) => RawBuilder<unknown>) => RawBuilder<Row>,
): ((db: Db, values: Values) => Promise<Row[]>) => {
  let written: CompiledQuery | undefined
  return async (db, values) => {
    written ??= write((name) => sql`${new Slot(name)}`).compile(db)
    const parameters = written.parameters.map((given) => (given instanceof Slot ? values[given.name] : given))
    return (await db.executeQuery<Row>(CompiledQuery.raw(written.sql, parameters))).rows
  }
}
