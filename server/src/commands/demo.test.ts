import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { openBeside } from '../../test/test-database.ts'
import { startTestServer } from '../../test/test-server.ts'
import type { Services } from '../services.ts'
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

/** The services of a process that ends at one of the calls that make something. */
const interrupted = (callsMax: number): Services => {
  let calls = 0
  const counting = <T extends object>(service: T): T =>
    new Proxy(service, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        return (...args: unknown[]): unknown => {
          if (/^(create|add|attach)/.test(String(name)) && ++calls > callsMax) throw new Error('interrupted')
          return Reflect.apply(member, target, args)
        }
      },
    })
  return new Proxy(services, {
    get: (target, name) => {
      const service: unknown = Reflect.get(target, name)
      return typeof service === 'object' && service !== null ? counting(service) : service
    },
  })
}

const TABLES = ['organizations', 'projects', 'folders', 'secrets', 'groups', 'identities', 'project_memberships']
const counts = async () => {
  const { rows } = await sql<Record<string, number>>`select ${sql.join(
    TABLES.map((table) => sql`(select count(*)::int from ${sql.table(table)}) as ${sql.ref(table)}`),
  )}`.execute(beside.pool)
  return rows[0]
}

describe('the example', () => {
  test('is filled in once, in as many attempts as it takes', async () => {
    let attempts = 0
    for (; attempts < 30; attempts++) {
      // Each goes over what the one before has made, and one step further.
      try {
        await fillInDemo({ ...deps, services: interrupted(attempts) })
        break
      } catch (error) {
        assert.match(String(error), /interrupted/)
      }
    }
    assert.ok(attempts > 5 && attempts < 30, `${attempts} attempts`)
    assert.match(said.join('\n'), /is here already/)
    await showCommands(deps)
    assert.match(said.join('\n'), /HOLDFAST_CLIENT_SECRET=/)
    assert.deepEqual(await counts(), {
      organizations: 1,
      projects: 2,
      folders: 7,
      secrets: 6,
      groups: 1,
      identities: 2,
      projectMemberships: 4,
    })
    assert.match(await told(), /is here already/)
  })

  test('that was not finished is finished the next time, wherever it was interrupted', async () => {
    // Its identity comes into the project last.
    await sql`delete from project_memberships where identity_id is not null`.execute(beside.pool)
    await assert.rejects(showCommands(deps), /not complete.*npm start -- --demo/)
    assert.match(await told(), /HOLDFAST_CLIENT_SECRET=/)
    assert.match(await told(), /is here already/)
  })

  test('is not filled into what others use', async () => {
    await sql`update users set username = 'someone@example.com', email = 'someone@example.com'`.execute(beside.pool)
    assert.match(await told(), /is in use/)
    await assert.rejects(showCommands(deps), /is not here/)
  })
})
