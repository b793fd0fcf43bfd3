import { createHash, randomBytes } from 'node:crypto'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { connectDirectly } from '../src/platform/db/connection.ts'
import { Database } from '../src/platform/db/db.ts'
import type { PoolOptions } from '../src/platform/db/pool.ts'
import { migrate, readMigrations } from '../src/platform/db/migrations.ts'
import { testPostgresUrl } from './test-postgres.ts'

export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../migrations/', import.meta.url))

const TEMPLATE_LOCK = 7_166_422

export type TestDatabase = { url: string; drop: () => Promise<void> }

/** A migrated database of its own for a test file, copied from a template that the whole run shares. */
export const createTestDatabase = async (): Promise<TestDatabase> => {
  const admin = await connectTo('postgres')
  try {
    const template = await ensureTemplate(admin)
    return await copy(admin, template)
  } finally {
    await admin.end()
  }
}

/** An empty database, for tests of migrating. */
export const createEmptyDatabase = async (): Promise<TestDatabase> => {
  const admin = await connectTo('postgres')
  try {
    return await copy(admin, 'template0')
  } finally {
    await admin.end()
  }
}

/** A pool on a database of its own; both are gone when the test file ends. */
export const openTestDatabase = async (): Promise<{ db: Database; url: string }> => {
  const { url, drop } = await createTestDatabase()
  const db = openDatabase(url)
  after(async () => {
    await db.close()
    await drop()
  })
  return { db, url }
}

/** A second pool on a database, as another server process would have. */
export const openDatabase = (url: string, connectionsMax = 10, options: Partial<PoolOptions> = {}): Database =>
  new Database({
    url,
    applicationName: 'holdfast-test',
    statementTimeoutMs: 30_000,
    connectionsMax,
    waitersMax: 1_000,
    waitMsMax: 30_000,
    preparedStatements: true,
    forbidNesting: true,
    ...options,
  })

/** The database of a server, to look and write behind its back until the test file ends. */
export const openBeside = (url: string): Database => {
  const db = openDatabase(url, 4)
  after(() => db.close())
  return db
}

export const connectTo = async (databaseOrUrl: string): Promise<pg.Client> =>
  connectDirectly({
    url: databaseOrUrl.includes('://') ? databaseOrUrl : await urlOf(databaseOrUrl),
    applicationName: 'holdfast-test',
    statementTimeoutMs: 30_000,
  })

const urlOf = async (database: string): Promise<string> => {
  const url = new URL(await testPostgresUrl())
  url.pathname = `/${database}`
  return url.href
}

const copy = async (admin: pg.Client, template: string): Promise<TestDatabase> => {
  const name = `test_${randomBytes(8).toString('hex')}`
  await admin.query(`create database ${name} template ${template}`)
  return { url: await urlOf(name), drop: () => drop(name) }
}

const DROP_ATTEMPTS_MAX = 20
const DROP_RETRY_MS = 100
const INSUFFICIENT_PRIVILEGE = '42501'

const drop = async (name: string): Promise<void> => {
  const admin = await connectTo('postgres')
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        await admin.query(`drop database if exists ${name} with (force)`)
        return
      } catch (error) {
        // PostgreSQL itself is cleaning up there, whose processes only a superuser may end: it is soon done.
        const isBusy = error instanceof pg.DatabaseError && error.code === INSUFFICIENT_PRIVILEGE
        if (!isBusy || attempt >= DROP_ATTEMPTS_MAX) throw error
        await sleep(DROP_RETRY_MS)
      }
    }
  } finally {
    await admin.end()
  }
}

const ensureTemplate = async (admin: pg.Client): Promise<string> => {
  const migrations = await readMigrations(MIGRATIONS_FOLDER)
  const hash = createHash('sha256')
    .update(migrations.map(({ checksum }) => checksum).join())
    .digest('hex')
  const name = `template_${hash.slice(0, 16)}`
  await admin.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK])
  try {
    const { rowCount } = await admin.query('select from pg_database where datname = $1', [name])
    if (rowCount === 0) await buildTemplate(admin, name, migrations)
    return name
  } finally {
    await admin.query('select pg_advisory_unlock($1)', [TEMPLATE_LOCK])
  }
}

const buildTemplate = async (
  admin: pg.Client,
  name: string,
  migrations: Awaited<ReturnType<typeof readMigrations>>,
): Promise<void> => {
  await admin.query(`drop database if exists ${name}_building with (force)`)
  await admin.query(`create database ${name}_building template template0`)
  const client = await connectTo(`${name}_building`)
  await migrate(client, migrations, () => undefined)
  await client.end()
  await admin.query(`alter database ${name}_building rename to ${name}`)
}
