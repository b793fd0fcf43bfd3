import assert from 'node:assert/strict'
import { after, describe, mock, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { type PrivilegeBody, PRIVILEGES, startPrivilegeServer } from '../../../test/test-privileges.ts'
import { createMember } from '../../../test/test-projects.ts'
import { startServerOn, type TestServer } from '../../../test/test-server.ts'

const { server, admin, token, db, project, target, viewer } = await startPrivilegeServer()
const another = await startServerOn(server.url)
after(() => another.stop())

const HOUR_MS = 3_600_000
/** More than a request takes. */
const MARGIN_MS = 20_000
const READ_ENVIRONMENTS = [{ subject: 'environments', action: ['read'] }]

const give = async (changes: object = {}, identityId = target.identityId): Promise<PrivilegeBody> => {
  const body = { identityId, projectId: project.id, permissions: READ_ENVIRONMENTS, ...changes }
  const answer = await server.post(PRIVILEGES, body, { token })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.privilege
}
const change = (id: string, body: object) => server.patch(`${PRIVILEGES}/${id}`, body, { token })
const remove = (id: string) => server.delete(`${PRIVILEGES}/${id}`, { token })
const forAnHourFrom = (ms: number) => ({
  isTemporary: true,
  temporaryMode: 'relative',
  temporaryRange: '1h',
  temporaryAccessStartTime: new Date(ms).toISOString(),
})

/** Takes `environments:read`, which the role of the target does not give. */
const use = async (at: TestServer = server) => {
  const path = `/api/v1/projects/${project.id}/environments/slug/dev`
  return (await at.get(path, { token: target.token })).status
}

describe('a temporary privilege', () => {
  test('is usable from its start until just before its end, also where the ability is cached', async () => {
    const start = server.clock.now() + 2 * HOUR_MS
    const { id, slug } = await give({ type: forAnHourFrom(start) })
    const usableAfter = async (ms: number) => {
      server.clock.advance(ms)
      return [await use(), await use()]
    }
    assert.deepEqual(await usableAfter(0), [403, 403], 'long before')
    assert.deepEqual(await usableAfter(start - server.clock.now() - MARGIN_MS), [403, 403], 'just before its start')
    assert.deepEqual(await usableAfter(start - server.clock.now()), [200, 200], 'at its start')
    assert.deepEqual(await usableAfter(start + HOUR_MS - server.clock.now() - MARGIN_MS), [200, 200], 'before its end')
    assert.deepEqual(await usableAfter(start + HOUR_MS - server.clock.now()), [403, 403], 'at its end')

    const query = { identityId: target.identityId, projectId: project.id }
    const { privileges } = (await server.get(PRIVILEGES, { token, query })).body
    assert.ok((privileges as PrivilegeBody[]).some((listed) => listed.slug === slug && listed.isTemporary))
    await remove(id)
  })

  test('that has ended long ago is stored and grants nothing, until it is made permanent', async () => {
    const { id } = await give({ type: forAnHourFrom(0) })
    assert.equal(await use(), 403)
    await change(id, { type: { isTemporary: false } })
    assert.equal(await use(), 200)
    await change(id, { type: forAnHourFrom(0) })
    assert.equal(await use(), 403)
    await remove(id)
  })
})

describe('a privilege', () => {
  test('that denies beats the role that allows', async () => {
    const read = async () =>
      (
        await server.get(PRIVILEGES, {
          token: viewer.token,
          query: { identityId: target.identityId, projectId: project.id },
        })
      ).status
    assert.equal(await read(), 200)
    const permissions = [
      { subject: 'identity', action: ['read'], inverted: true },
      { subject: 'identity', action: ['read'] },
    ]
    const { id } = await give({ permissions }, viewer.identityId)
    assert.equal(await read(), 403)
    await remove(id)
    assert.equal(await read(), 200)
  })

  test('goes with the membership of its holder', async () => {
    const { identityId } = await createMember(server, admin, { db, projectId: project.id, role: 'viewer' })
    const { id } = await give({}, identityId)
    await sql`delete from project_memberships where identity_id = ${identityId}`.execute(db)
    const { rows } = await sql`select from identity_privileges where id = ${id}`.execute(db)
    assert.equal(rows.length, 0)
  })
})

describe('on another server', () => {
  /** How long it takes until the target's request is answered so. */
  const elapsedUntil = async (status: number): Promise<number> => {
    const began = performance.now()
    while ((await use(another)) !== status) {
      if (performance.now() - began > 5_000) assert.fail(`${status} never came`)
      await sleep(5)
    }
    return performance.now() - began
  }

  test('what is created, changed and deleted counts within a second', async () => {
    assert.equal(await use(another), 403)
    const { id } = await give()
    assert.equal(await use(another), 200, 'what is new counts at once')
    await change(id, { permissions: [] })
    assert.ok((await elapsedUntil(403)) < 1_000)
    await change(id, { permissions: READ_ENVIRONMENTS })
    assert.equal(await use(another), 200)
    await change(id, { type: forAnHourFrom(0) })
    assert.ok((await elapsedUntil(403)) < 1_000)
    await change(id, { type: { isTemporary: false } })
    assert.equal(await use(another), 200)
    await remove(id)
    assert.ok((await elapsedUntil(403)) < 1_000)
  })
})

/** Jobs and the change feed send statements at any moment. */
const OF_PRIVILEGES = /identity_privileges|insert into (audit_logs|changes)/

/** What is sent to PostgreSQL about privileges while `work` runs. */
const statementsOf = async (work: () => Promise<{ status: number }>) => {
  const spy = mock.method(pg.Client.prototype, 'query')
  const answer = await work()
  const calls = spy.mock.calls.map(({ arguments: [query], result }) => ({ query: query, result }))
  spy.mock.restore()
  assert.equal(answer.status, 200)
  const sent: string[] = []
  for (const { query, result } of calls) {
    const text = typeof query === 'string' ? query : (query as { text: string }).text
    if (!OF_PRIVILEGES.test(text)) continue
    const { rowCount } = (await (result as unknown)) as { rowCount: number | null }
    sent.push(`${rowCount ?? 0} × ${text.trim().slice(0, 60)}`)
  }
  return sent
}

const { identityId } = await createMember(server, admin, { db, projectId: project.id, role: 'no-access' })

describe('with a thousand privileges on one identity', () => {
  const create = (slug: string) =>
    server.post(PRIVILEGES, { identityId, projectId: project.id, slug, permissions: READ_ENVIRONMENTS }, { token })
  const costs = async (slug: string) => {
    let id = ''
    const creating = await statementsOf(async () => {
      const answer = await create(slug)
      id = answer.body.privilege.id
      return answer
    })
    const read = () => server.get(`${PRIVILEGES}/${id}`, { token })
    return { creating, reading: await statementsOf(read), read }
  }

  test('creating and reading one costs what it costs with one', async () => {
    await create('warm-up')
    const alone = await costs('alone')
    await sql`insert into identity_privileges (id, project_id, identity_id, slug, permissions)
      select gen_random_uuid(), ${project.id}, ${identityId}, 'more-' || n, '[]' from generate_series(1, 1000) n`.execute(
      db,
    )
    const crowded = await costs('crowded')
    assert.deepEqual([crowded.creating, crowded.reading], [alone.creating, alone.reading])
    assert.equal(alone.creating.length, 3, alone.creating.join('\n'))
    assert.equal(alone.reading.length, 1, alone.reading.join('\n'))
    assert.match(alone.reading[0] ?? '', /^1 × /)
  })

  test('reading one again needs no database', async () => {
    const { read } = await costs('read-again')
    // The feed may once more name what this process has changed.
    for (let attempt = 0; attempt < 50; attempt++) {
      if ((await statementsOf(read)).length === 0) return
    }
    assert.fail('it was never kept')
  })
})
