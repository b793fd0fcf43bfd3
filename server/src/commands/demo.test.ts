import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { openBeside } from '../../test/test-database.ts'
import { startTestServer } from '../../test/test-server.ts'
import { fillInDemo, showCommands } from './demo.ts'

const server = await startTestServer()
const { services } = server.app
const beside = openBeside(server.url)

const said: string[] = []
const deps = { services, config: { siteUrl: 'http://localhost:8080' }, write: (line: string) => said.push(line) }
const told = async (): Promise<string> => {
  said.length = 0
  await fillInDemo(deps)
  return said.join('\n')
}

describe('the example', () => {
  test('is filled in once', async () => {
    assert.match(await told(), /HOLDFAST_CLIENT_SECRET=/)
    assert.match(await told(), /is here already/)
  })

  test('that was not finished is said to be so, with the way out', async () => {
    // Its identity comes into the project last.
    await sql`delete from project_memberships where identity_id is not null`.execute(beside.pool)
    assert.match(await told(), /not complete.*empty database/)
    await assert.rejects(showCommands(deps), /not complete.*empty database/)
  })

  test('is not filled into what others use', async () => {
    await sql`update users set username = 'someone@example.com', email = 'someone@example.com'`.execute(beside.pool)
    assert.match(await told(), /is in use/)
    await assert.rejects(showCommands(deps), /is not here/)
  })
})
