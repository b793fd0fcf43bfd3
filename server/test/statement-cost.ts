import { after, mock } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { openDatabase } from './test-database.ts'

export type Statement = { text: string; values: unknown[] }

const MARK = 'the first of this connection'

/** A pool of one connection that nobody else uses, and what has been sent there. Call it with top-level await. */
export const openCountedDatabase = async (url: string) => {
  const db = openDatabase(url, 1)
  after(() => db.close())
  const queries = mock.method(pg.Client.prototype, 'query').mock
  const sent = () => queries.calls.map((call) => ({ client: call.this, ...statementOf(call.arguments[0]) }))
  await sql`select ${sql.lit(MARK)} where ${1} = 1`.execute(db.pool)
  const own = sent().find(({ text }) => text.includes(MARK))
  const statements = (): Statement[] => sent().filter(({ client }) => client === own?.client)
  return { db, statements }
}

/** The plan for these values, and the one for any values that a prepared statement may come to have. */
const PLANS = ['force_custom_plan', 'force_generic_plan']

type Buffers = Record<string, number | undefined>
type Plan = Buffers & { Plans?: Plan[] }

/** How many pages of tables and indexes PostgreSQL looks at for a statement, by the worse of both plans. */
export const pagesOf = (client: pg.Client, statement: Statement): Promise<number> =>
  costOf(client, statement, (plan) => (plan['Shared Hit Blocks'] ?? NaN) + (plan['Shared Read Blocks'] ?? NaN))

/** How many rows PostgreSQL hands from one step of a statement to the next or drops there, by the worse of both plans. */
export const rowsOf = (client: pg.Client, statement: Statement): Promise<number> => costOf(client, statement, rowsIn)

const rowsIn = ({ Plans = [], ...plan }: Plan): number => {
  const rows = (plan['Actual Rows'] ?? NaN) + (plan['Rows Removed by Filter'] ?? 0)
  return Plans.reduce((sum, inner) => sum + rowsIn(inner), rows * (plan['Actual Loops'] ?? NaN))
}

const costOf = async (client: pg.Client, { text, values }: Statement, weigh: (plan: Plan) => number) => {
  const costs: number[] = []
  await client.query(`prepare costly as ${text}`)
  for (const plan of PLANS) {
    await client.query(`set plan_cache_mode = ${plan}`)
    const execution = `execute costly (${values.map(literal).join(', ')})`
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `explain (analyze, buffers, timing off, format json) ${execution}`,
    )
    costs.push(weigh(rows[0]?.['QUERY PLAN'][0].Plan ?? {}))
  }
  await client.query('deallocate costly')
  return Math.max(...costs)
}

/** The same for statements of one transaction, each by the plan that it was given when this was called. */
export const pagesOfKept = async (client: pg.Client, statements: Record<string, Statement>) => {
  const execution = ([name, { values }]: [string, Statement]) =>
    `execute kept_${name} (${values.map(literal).join(', ')})`
  for (const [name, { text }] of Object.entries(statements)) await client.query(`prepare kept_${name} as ${text}`)
  const pages = async (): Promise<Record<string, number>> => {
    const counts: Record<string, number> = {}
    await client.query('begin')
    for (const entry of Object.entries(statements)) {
      const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Buffers }] }>(
        `explain (analyze, buffers, timing off, format json) ${execution(entry)}`,
      )
      const buffers = rows[0]?.['QUERY PLAN'][0].Plan ?? {}
      counts[entry[0]] = (buffers['Shared Hit Blocks'] ?? NaN) + (buffers['Shared Read Blocks'] ?? NaN)
    }
    await client.query('rollback')
    return counts
  }
  await pages()
  return pages
}

const statementOf = (query: unknown): Statement =>
  typeof query === 'string' ? { text: query, values: [] } : (query as Statement)

const literal = (value: unknown): string => {
  const text = Array.isArray(value) ? `{${value.join(',')}}` : String(value)
  return value === null ? 'null' : pg.escapeLiteral(text)
}
