import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type pg from 'pg'
import { OperatorError } from '../../lib/operator-error.ts'
import { isUndefinedColumn } from './failures.ts'

export type Migration = { number: number; name: string; sql: string; checksum: string }

/** The database and this server do not fit together. */
export class SchemaError extends OperatorError {}

/** Any fixed number: two servers that start at once meet on it. */
const ADVISORY_LOCK = 7_166_421
const FILE_NAME = /^(\d{4})_[a-z0-9-]+\.sql$/

export const readMigrations = async (folder: string): Promise<Migration[]> => {
  const files = (await readdir(folder)).sort()
  const migrations = await Promise.all(files.map((file) => readMigration(folder, file)))
  migrations.forEach(({ number, name }, index) => {
    if (number !== index + 1) throw new Error(`Migration ${name} should have the number ${index + 1}`)
  })
  return migrations
}

const readMigration = async (folder: string, file: string): Promise<Migration> => {
  const number = FILE_NAME.exec(file)?.[1]
  if (number === undefined) throw new Error(`'${file}' is not named like a migration (0001_what.sql)`)
  const sql = await readFile(path.join(folder, file), 'utf8')
  const checksum = createHash('sha256').update(sql).digest('hex')
  return { number: Number(number), name: path.basename(file, '.sql'), sql, checksum }
}

/** Applies what is missing, each migration in one transaction. Safe when several servers start at once. */
export const migrate = async (
  client: pg.Client,
  migrations: Migration[],
  report: (progress: string) => void,
): Promise<void> => {
  await client.query('set statement_timeout = 0')
  await client.query('select pg_advisory_lock($1)', [ADVISORY_LOCK])
  try {
    const missing = await missingMigrations(client, migrations)
    await client.query(`create table if not exists schema_migrations (
      number integer primary key,
      name text not null,
      checksum text not null,
      applied_at timestamptz not null default now()
    )`)
    for (const [index, migration] of missing.entries()) {
      report(`migration ${index + 1} of ${missing.length}: ${migration.name}`)
      await apply(client, migration)
    }
  } finally {
    await client.query('select pg_advisory_unlock($1)', [ADVISORY_LOCK])
  }
}

/** Throws unless every migration has been applied. */
export const requireMigrated = async (client: pg.Client, migrations: Migration[]): Promise<void> => {
  if ((await missingMigrations(client, migrations)).length > 0)
    throw new SchemaError('The schema of the database is not up to date: run npx holdfast migrate')
}

/** Those that have not been applied yet, which are all of them while the database is new. Only reads. */
export const missingMigrations = async (client: pg.Client, migrations: Migration[]): Promise<Migration[]> => {
  const { rows } = await client.query<{ exists: boolean }>(
    `select to_regclass('schema_migrations') is not null as exists`,
  )
  const missing = rows[0]?.exists ? await findMissing(client, migrations) : migrations
  if (missing.length === migrations.length) await requireFree(client, migrations)
  return missing
}

const RELATION_MADE = /^create (?:table|view|(?:unique )?index) (?!on )(?:if not exists )?(\w+)/gm
const NAMES_SHOWN_MAX = 3

/** Throws when what the migrations are to make in a new database has names that are taken there. */
const requireFree = async (client: pg.Client, migrations: Migration[]): Promise<void> => {
  const names = migrations.flatMap(({ sql }) => [...sql.matchAll(RELATION_MADE)].map(([, name]) => name))
  const { rows } = await client.query<{ name: string }>(
    `select r.relname as name from pg_namespace n join pg_class r on r.relnamespace = n.oid
    where n.nspname = current_schema() and r.relname = any($1)
    union select t.typname from pg_namespace n join pg_type t on t.typnamespace = n.oid
    where n.nspname = current_schema() and t.typname = any($1)
    order by name`,
    [names],
  )
  if (rows.length === 0) return
  const shown = rows.slice(0, NAMES_SHOWN_MAX).map(({ name }) => name)
  const others = rows.length > shown.length ? ` and ${rows.length - shown.length} more` : ''
  throw new SchemaError(
    `The database has what is named like Holdfast's (${shown.join(', ')}${others}) and no record of Holdfast having made it: point DATABASE_URL at a database of its own, or restore this one together with its table schema_migrations`,
  )
}

/** Throws unless every applied migration is one of ours, unchanged. */
const findMissing = async (client: pg.Client, migrations: Migration[]): Promise<Migration[]> => {
  const rows = await listApplied(client)
  for (const { number, name, checksum } of rows) {
    const known = migrations[number - 1]
    if (!known) {
      throw new SchemaError(
        `The database was written by a newer Holdfast (migration ${name}): start that version, or restore a backup made before the upgrade`,
      )
    }
    if (known.checksum !== checksum) {
      throw new SchemaError(
        `Migration ${name} was applied to the database in another form than the one shipped here: start the version that applied it`,
      )
    }
  }
  return migrations.slice(rows.length)
}

type Applied = { number: number; name: string; checksum: string }

/** Other software has a table of this name too, with other columns. */
const listApplied = async (client: pg.Client): Promise<Applied[]> => {
  try {
    const { rows } = await client.query<Applied>('select number, name, checksum from schema_migrations order by number')
    return rows
  } catch (error) {
    if (!isUndefinedColumn(error)) throw error
    throw new SchemaError(
      "The database belongs to something else (its table schema_migrations is not Holdfast's): point DATABASE_URL at one of Holdfast's own",
      { cause: error },
    )
  }
}

const apply = async (client: pg.Client, { number, name, sql, checksum }: Migration): Promise<void> => {
  await client.query('begin')
  try {
    await client.query('insert into schema_migrations (number, name, checksum) values ($1, $2, $3)', [
      number,
      name,
      checksum,
    ])
    await client.query(sql)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}
