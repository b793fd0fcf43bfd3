import { randomUUID } from 'node:crypto'
import { fastify } from 'fastify'
import { loadDatabase } from '../built-server.ts'
import { BATCH_ROWS, CeilingTables } from './ceiling-tables.ts'
import type { CeilingName } from './ceiling.ts'

const METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE']

/** Objects of some fields each, as an interface of this kind sends them. */
const fillerOf = (bytes: number): object[] => {
  const item = { id: randomUUID(), name: 'production-database', isActive: true, createdAt: new Date().toISOString() }
  const count = Math.max(1, Math.round(bytes / (JSON.stringify(item).length + 1)))
  return Array.from({ length: count }, () => ({ ...item }))
}

type Handlers = Record<CeilingName, (items: object[]) => Promise<object>>

const handlersOf = (tables: CeilingTables): Handlers => ({
  bare: (items) => Promise.resolve({ items }),
  select: async (items) => ({ row: await tables.selectOne(), items }),
  'select-100': async () => ({ items: await tables.selectBatch(), totalCount: BATCH_ROWS }),
  insert: async (items) => {
    await tables.insertOne()
    return { items }
  },
})

/** A pool as the server has it, with the defaults of its configuration. */
const openTables = async (url: string): Promise<CeilingTables> => {
  const Database = await loadDatabase()
  const db = new Database({
    url,
    applicationName: 'holdfast-bench',
    statementTimeoutMs: 15_000,
    connectionsMax: 10,
    waitersMax: 1_000,
    waitMsMax: 5_000,
    preparedStatements: true,
  })
  const tables = new CeilingTables(db)
  await tables.create()
  return tables
}

const serve = async (databaseUrl: string): Promise<string> => {
  const app = fastify()
  const fillers = new Map<string, object[]>()
  for (const [name, handle] of Object.entries(handlersOf(await openTables(databaseUrl)))) {
    app.route<{ Params: { bytes: string } }>({
      method: METHODS,
      url: `/${name}/:bytes`,
      handler: ({ params: { bytes } }) => {
        let filler = fillers.get(bytes)
        if (!filler) fillers.set(bytes, (filler = fillerOf(Number(bytes))))
        return handle(filler)
      },
    })
  }
  return app.listen({ host: '127.0.0.1', port: 0 })
}

process.on('message', ({ databaseUrl }: { databaseUrl: string }) => {
  serve(databaseUrl).then(
    (url) => process.send?.({ url }),
    (error: unknown) => process.send?.({ failure: error instanceof Error ? error.message : String(error) }),
  )
})
process.on('disconnect', () => process.exit())
