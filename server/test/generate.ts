import { readFile, writeFile } from 'node:fs/promises'
import { configurationPage } from '../src/config.ts'
import { migrate, readMigrations } from '../src/platform/db/migrations.ts'
import { describeApi } from './describe-api.ts'
import { dumpSchema } from './schema-dump.ts'
import { connectTo, createEmptyDatabase, MIGRATIONS_FOLDER } from './test-database.ts'

const ROOT = new URL('../../../', import.meta.url)

/** Every file that is made from the source, with what makes it. */
const GENERATED: Record<string, () => Promise<string> | string> = {
  'docs/configuration.md': configurationPage,
  'server/schema.sql': () => schema(),
  'server/openapi.json': describeApi,
}

const schema = async (): Promise<string> => {
  const { url, drop } = await createEmptyDatabase()
  const client = await connectTo(url)
  await migrate(client, await readMigrations(MIGRATIONS_FOLDER), () => undefined)
  const text = await dumpSchema(client)
  await client.end()
  await drop()
  return text
}

const isCheck = process.argv.includes('--check')
const stale: string[] = []
for (const [name, make] of Object.entries(GENERATED)) {
  const file = new URL(name, ROOT)
  const [made, present] = [await make(), await readFile(file, 'utf8').catch(() => '')]
  if (made === present) continue
  if (isCheck) stale.push(name)
  else await writeFile(file, made)
}
if (stale.length > 0) {
  process.stderr.write(`Not what the source says: ${stale.join(', ')}. Run: npm run gen\n`)
  process.exitCode = 1
}
