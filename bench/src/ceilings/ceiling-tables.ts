import { randomUUID } from 'node:crypto'
import type { Database } from '../../../server/dist/src/platform/db/db.js'

const BATCHES = 100
export const BATCH_ROWS = 100
const PAYLOAD = 'x'.repeat(100)

const idOf = (batch: number, number: number) => `${batch}-${number}`
const anyBelow = (count: number) => Math.floor(Math.random() * count)

const poolOf = ({ pool }: Database) =>
  pool.withTables<{
    benchRows: { id: string; batch: number; payload: string }
    benchWrites: { id: string; payload: string }
  }>()

/** What the ceilings read and write, through the pool of the server. */
export class CeilingTables {
  readonly #pool: ReturnType<typeof poolOf>

  constructor(db: Database) {
    this.#pool = poolOf(db)
  }

  async create(): Promise<void> {
    const { schema } = this.#pool
    await schema
      .createTable('benchRows')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('batch', 'integer', (column) => column.notNull())
      .addColumn('payload', 'text', (column) => column.notNull())
      .execute()
    await schema.createIndex('benchRowsByBatch').on('benchRows').columns(['batch', 'id']).execute()
    await schema
      .createTable('benchWrites')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('payload', 'text', (column) => column.notNull())
      .execute()
    for (let batch = 0; batch < BATCHES; batch++) {
      const ids = Array.from({ length: BATCH_ROWS }, (_, number) => idOf(batch, number))
      const rows = ids.map((id) => ({ id, batch, payload: PAYLOAD }))
      await this.#pool.insertInto('benchRows').values(rows).execute()
    }
  }

  selectOne(): Promise<object> {
    const id = idOf(anyBelow(BATCHES), anyBelow(BATCH_ROWS))
    return this.#pool.selectFrom('benchRows').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  }

  selectBatch(): Promise<object[]> {
    return this.#pool.selectFrom('benchRows').selectAll().where('batch', '=', anyBelow(BATCHES)).orderBy('id').execute()
  }

  async insertOne(): Promise<void> {
    await this.#pool.insertInto('benchWrites').values({ id: randomUUID(), payload: PAYLOAD }).execute()
  }
}
