import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { migrate, type Migration, readMigrations, SchemaError } from '../src/platform/db/migrations.ts'
import { connectTo, createEmptyDatabase, MIGRATIONS_FOLDER } from './test-database.ts'

const migrations = await readMigrations(MIGRATIONS_FOLDER)

const emptyDatabase = async () => {
  const { url, drop } = await createEmptyDatabase()
  const client = await connectTo(url)
  after(async () => {
    await client.end()
    await drop()
  })
  return { url, client }
}

const quietly = () => undefined
const migration = (number: number, sql: string): Migration => ({
  number,
  name: `000${number}_test`,
  sql,
  checksum: sql,
})

describe('migrating', () => {
  test('an empty database applies every migration, and again none', async () => {
    const { client } = await emptyDatabase()
    const applied: string[] = []
    await migrate(client, migrations, (progress) => applied.push(progress))
    assert.equal(applied.length, migrations.length)
    await migrate(client, migrations, (progress) => assert.fail(progress))
  })

  test('by four at once applies each migration once', async () => {
    const { url } = await emptyDatabase()
    const clients = await Promise.all([1, 2, 3, 4].map(() => connectTo(url)))
    const applied: string[] = []
    await Promise.all(clients.map((client) => migrate(client, migrations, (progress) => applied.push(progress))))
    assert.equal(applied.length, migrations.length)
    await Promise.all(clients.map((client) => client.end()))
  })

  test('leaves nothing of a migration that fails at its last statement, and goes on from there', async () => {
    const { client } = await emptyDatabase()
    const first = migration(1, 'create table kept (id integer)')
    const broken = migration(2, 'create table half (id integer); select 1/0')
    await assert.rejects(migrate(client, [first, broken], quietly), /division by zero/)
    await assert.rejects(client.query('select from half'), /does not exist/)
    await migrate(client, [first, migration(2, 'create table half (id integer)')], quietly)
    await client.query('select from kept, half')
  })

  test('lets another one in after a failure', async () => {
    const { client, url } = await emptyDatabase()
    await assert.rejects(migrate(client, [migration(1, 'select 1/0')], quietly))
    const other = await connectTo(url)
    await migrate(other, [migration(1, 'select 1')], quietly)
    await other.end()
  })

  test('refuses a database of a newer version and says the way out', async () => {
    const { client } = await emptyDatabase()
    const [first, second] = [migration(1, 'select 1'), migration(2, 'select 2')]
    await migrate(client, [first, second], quietly)
    await assert.rejects(
      migrate(client, [first], quietly),
      (error) => error instanceof SchemaError && /newer Holdfast.*restore/.test(error.message),
    )
  })

  test('refuses a database whose migrations had another text', async () => {
    const { client } = await emptyDatabase()
    await migrate(client, [migration(1, 'select 1')], quietly)
    await assert.rejects(
      migrate(client, [migration(1, 'select 2')], quietly),
      (error) => error instanceof SchemaError && /another form/.test(error.message),
    )
  })
})
