import type { Writable } from 'node:stream'
import { type PostgresCursor, type PostgresPoolClient, type PostgresQueryResult, type RawBuilder, sql } from 'kysely'
import type pg from 'pg'
import { readableFailure } from './failures.ts'
import type { StatementNames } from './statement-names.ts'

type Statement = { text: string; values: unknown[] }
type Result = Pick<pg.QueryResult, 'command' | 'rowCount' | 'rows'>
/** The driver's own connection, of which its types do not speak. */
type Client = pg.PoolClient & { connection: { stream: Writable } }

/**
 * Put before a statement of a transaction whose result nobody looks at: it is sent together with what comes next, which
 * mostly is the commit. Its failure is that of what comes next.
 */
export const WITH_THE_NEXT: RawBuilder<unknown> = sql.raw('/* with the next */ ')
const MARK = '/* with the next */ '

const BEGIN = /^(begin|start transaction)/
const NOTHING: Result = { command: '', rowCount: 0, rows: [] }

/**
 * One connection. Each exchange with PostgreSQL costs a wait and a system call, so what needs no answer of its own goes
 * with the next statement: the beginning of a transaction with the first, its records with the commit.
 */
export class PooledConnection implements PostgresPoolClient {
  readonly #client: Client
  readonly #names: StatementNames | undefined
  #held: Statement[] = []
  #isInTransaction = false

  constructor(client: pg.PoolClient, names: StatementNames | undefined) {
    this.#client = client
    this.#names = names
  }

  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>
  query(text: unknown, parameters: readonly unknown[] = []): never {
    if (typeof text !== 'string') throw new Error('Cursors are not in use')
    return this.#run({ text, values: parameters as unknown[] }) as never
  }

  release(): void {
    this.#held = []
    this.#isInTransaction = false
    this.#client.release()
  }

  async #run(statement: Statement): Promise<Result> {
    const { text } = statement
    if (BEGIN.test(text)) this.#isInTransaction = true
    const canWait = BEGIN.test(text) || text.startsWith(MARK)
    if (this.#isInTransaction && canWait) {
      this.#held.push(statement)
      return NOTHING
    }
    const held = this.#held
    this.#held = []
    if (text === 'rollback') return this.#rollBack(held)
    const results = await this.#send([...held, statement])
    const last = results.at(-1) ?? NOTHING
    // PostgreSQL answers the commit of a failed transaction with a quiet rollback.
    if (text === 'commit' && last.command !== 'COMMIT')
      throw new Error('A transaction was committed after one of its statements had failed')
    return last
  }

  /** What has not been sent need not be undone. */
  async #rollBack(held: readonly Statement[]): Promise<Result> {
    const hasBegun = !held.some(({ text }) => BEGIN.test(text))
    return hasBegun ? ((await this.#send([{ text: 'rollback', values: [] }])).at(-1) ?? NOTHING) : NOTHING
  }

  /** In one go. The first failure counts: those after it have failed because of it. */
  async #send(statements: readonly Statement[]): Promise<Result[]> {
    const { stream } = this.#client.connection
    stream.cork()
    const sent = statements.map((statement) => this.#submit(statement))
    stream.uncork()
    const outcomes = await Promise.allSettled(sent)
    return outcomes.map((outcome) => {
      if (outcome.status === 'rejected') throw readableFailure(outcome.reason)
      return outcome.value
    })
  }

  /** Without parameters (begin, commit) the simple protocol saves PostgreSQL three messages. */
  #submit({ text, values }: Statement): Promise<pg.QueryResult> {
    if (values.length === 0) return this.#client.query(text)
    const name = this.#names?.nameOf(text)
    return this.#client.query(name === undefined ? { text, values } : { name, text, values })
  }
}
