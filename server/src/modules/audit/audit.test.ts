import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { connectTo, openDatabase } from '../../../test/test-database.ts'
import { createIdentity, createMember, createOtherOrganization, createProject } from '../../../test/test-projects.ts'
import { startTestServer } from '../../../test/test-server.ts'
import { newId } from '../../lib/uuid.ts'
import { type AuditActor, AuditLog, type AuditEvent } from './audit.service.ts'

const PATH = '/api/v1/organization/audit-logs'
const DAY_MS = 86_400_000

const server = await startTestServer({ AUDIT_LOG_RETENTION_DAYS: '90' })
const db = openDatabase(server.url)
after(() => db.close())

const administrator = await server.bootstrap()
const { token, organizationId } = administrator
const project = await createProject(server, token)
const reader = await createMember(server, administrator, { db: db.pool, projectId: project.id, role: 'viewer' })
const outsider = await createIdentity(server, administrator, { name: 'outsider', role: 'no-access' })
const elsewhere = await createOtherOrganization(server, administrator)

const audit = new AuditLog({ db, clock: Date })
const robot: AuditActor = {
  ...{ type: 'identity', id: newId(), name: 'robot', organizationId, authMethod: 'oidc-auth', tokenId: newId() },
  ...{ isInstanceAdmin: false, claims: { oidc: { claims: { sub: 'ci' } } } },
  origin: { ip: '198.51.100.4', userAgent: 'k8-operator/1.2', requestId: 'req-robot000000000' },
}
const secret = (secretKey: string, environment: string, secretPath: string): AuditEvent => ({
  type: 'get-secret',
  projectId: project.id,
  metadata: { environment, secretPath, secretKey, secretVersion: 3 },
})
await audit.note(robot, secret('API_KEY', 'dev', '/'))
await audit.note(robot, secret('API_KEY', 'prod', '/app'))
await audit.note(robot, {
  ...{ type: 'create-secrets', projectId: project.id },
  metadata: { environment: 'prod', secretPath: '/app', secrets: [{ secretKey: 'API_KEY' }, { secretKey: 'OTHER' }] },
})
await audit.note({ type: 'platform' }, { type: 'our-own-event', metadata: {}, organizationId })

type Query = Record<string, string>
const list = (query: Query = {}, as = token) => server.get(PATH, { token: as, query })
type Row = { projectId: string | null; orgId: string; event: { type: string } }
const rowsOf = async (query: Query, as = token): Promise<Row[]> => {
  const { status, body } = await list(query, as)
  assert.equal(status, 200)
  return body.auditLogs as Row[]
}
const typesOf = async (query: Query) => (await rowsOf({ actor: robot.id, ...query })).map(({ event }) => event.type)

describe(`GET ${PATH}`, () => {
  test('200 shows a row with every member, in the order that clients know', async () => {
    const { status, body } = await list({ actor: robot.id, limit: '1', offset: '2' })
    assert.equal(status, 200)
    const [row] = body.auditLogs
    const at = Date.parse(row.createdAt)
    assert.deepEqual(Object.keys(row), [
      ...['id', 'ipAddress', 'userAgent', 'userAgentType', 'expiresAt', 'createdAt', 'updatedAt', 'orgId'],
      ...['projectId', 'projectName', 'event', 'actor'],
    ])
    assert.deepEqual(row, {
      id: row.id,
      ipAddress: '198.51.100.4',
      userAgent: 'k8-operator/1.2',
      userAgentType: 'k8-operator',
      expiresAt: new Date(at + 90 * DAY_MS).toISOString(),
      createdAt: new Date(at).toISOString(),
      updatedAt: new Date(at).toISOString(),
      orgId: organizationId,
      projectId: project.id,
      projectName: 'Payments',
      event: secretShown('API_KEY', 'dev', '/'),
      actor: {
        type: 'identity',
        metadata: { name: 'robot', identityId: robot.id, authMethod: 'oidc-auth', oidc: { claims: { sub: 'ci' } } },
      },
    })
  })

  const secretShown = (key: string, environment: string, path: string) => {
    const { type, metadata } = secret(key, environment, path)
    return { type, metadata }
  }

  test('200 shows the newest first, in pages', async () => {
    assert.deepEqual(await typesOf({}), ['create-secrets', 'get-secret', 'get-secret'])
    assert.deepEqual(await typesOf({ offset: '1', limit: '1' }), ['get-secret'])
    assert.deepEqual(await typesOf({ offset: '3' }), [])
    assert.ok((await rowsOf({})).length <= 20)
  })

  for (const [name, query, types] of [
    ['project', {}, ['create-secrets', 'get-secret', 'get-secret']],
    ['environment', { environment: 'dev' }, ['get-secret']],
    ['path, with a slash at its end', { secretPath: '/app/' }, ['create-secrets', 'get-secret']],
    ['root path', { secretPath: '/' }, ['get-secret']],
    ['key of a secret, alone or in a batch', { secretKey: 'API_KEY' }, ['create-secrets', 'get-secret', 'get-secret']],
    ['key of a secret in a batch', { secretKey: 'OTHER' }, ['create-secrets']],
    ['type of actor', { actorType: 'identity' }, ['create-secrets', 'get-secret', 'get-secret']],
    ['another type of actor', { actorType: 'user' }, []],
    ['type of event', { eventType: 'create-secrets' }, ['create-secrets']],
    [
      'several types of events',
      { eventType: 'create-secrets, get-secret,' },
      ['create-secrets', 'get-secret', 'get-secret'],
    ],
    ['type of client', { userAgentType: 'k8-operator' }, ['create-secrets', 'get-secret', 'get-secret']],
    ['another type of client', { userAgentType: 'web' }, []],
    ['metadata', { eventMetadata: 'secretKey=API_KEY,secretVersion=3' }, ['get-secret', 'get-secret']],
    ['metadata that differs', { eventMetadata: 'secretKey=API_KEY,secretVersion=4' }, []],
    [
      'what is sent empty',
      { environment: '', eventType: '', startDate: '' },
      ['create-secrets', 'get-secret', 'get-secret'],
    ],
  ] as [string, Query, string[]][]) {
    test(`200 filters by ${name}`, async () =>
      assert.deepEqual(await typesOf({ projectId: project.id, ...query }), types))
  }

  test('200 filters by an actor that is no id, and finds nothing', async () => {
    assert.deepEqual((await list({ actor: 'robot' })).body, { auditLogs: [] })
  })

  test('200 filters by date, and without a start from the midnight before the end', async () => {
    const at = new Date(Date.now() - 40 * DAY_MS)
    await sql`insert into audit_logs (id, created_at, organization_id, event_type, event_metadata, actor_type, actor_id, actor_metadata, result)
      values (${newId()}, ${at}, ${organizationId}, 'get-secrets', '{}', 'identity', ${robot.id}, '{}', 'success')`.execute(
      db.pool,
    )
    const around = (ms: number) => new Date(at.getTime() + ms).toISOString()
    assert.equal((await typesOf({})).includes('get-secrets'), false)
    assert.deepEqual(await typesOf({ startDate: around(0), endDate: around(0) }), ['get-secrets'])
    assert.deepEqual(await typesOf({ endDate: around(1) }), ['get-secrets'])
    assert.deepEqual(await typesOf({ startDate: around(1), endDate: around(2) }), [])
    assert.equal((await typesOf({ startDate: around(-1) })).length, 4)
  })

  test('200 takes our own events by name once there has been one', async () => {
    const { body } = await list({ eventType: 'our-own-event' })
    assert.deepEqual(
      [body.auditLogs[0].actor, body.auditLogs[0].ipAddress, body.auditLogs[0].projectId],
      [{ type: 'platform', metadata: {} }, null, null],
    )
  })

  test('200 records the look at the first page, and of no other', async () => {
    const looks = async () => (await rowsOf({ eventType: 'view-audit-logs', offset: '1', limit: '1000' })).length
    await list()
    const before = await looks()
    await list({ offset: '5' })
    assert.equal(await looks(), before)
    await list()
    assert.equal(await looks(), before + 1)
  })

  test("200 shows a project's log to whoever may read it there, and no other rows", async () => {
    const rows = await rowsOf({ projectId: project.id, limit: '1000' }, reader.token)
    assert.deepEqual(new Set(rows.map(({ projectId }) => projectId)), new Set([project.id]))
  })

  test('200 shows another organization nothing of this one', async () => {
    const rows = await rowsOf({ limit: '1000' }, elsewhere.token)
    assert.ok(rows.length > 0 && rows.every(({ orgId }) => orgId === elsewhere.organizationId))
  })

  for (const [status, error, reason, query, as] of [
    [401, 'UnauthorizedError', 'no token is sent', {}, undefined],
    [403, 'TokenError', 'the token is none', {}, 'nonsense'],
    [403, 'PermissionDenied', 'the role in the organization does not allow it', {}, outsider.token],
    [
      403,
      'ProjectMembershipNotFound',
      'the caller is no member of the project',
      { projectId: project.id },
      outsider.token,
    ],
    [404, 'NotFound', 'the project is of another organization', { projectId: project.id }, elsewhere.token],
    [404, 'NotFound', 'there is no such project', { projectId: newId() }, token],
    [404, 'NotFound', 'the project id is none', { projectId: 'payments' }, token],
    [422, 'ValidationFailure', 'the limit is above 1000', { limit: '1001' }, token],
    [422, 'ValidationFailure', 'the limit is 0', { limit: '0' }, token],
    [422, 'ValidationFailure', 'the offset is negative', { offset: '-1' }, token],
    [422, 'ValidationFailure', 'the offset is beyond all use', { offset: '100001' }, token],
    [422, 'ValidationFailure', 'the offset is no number', { offset: 'x' }, token],
    [422, 'ValidationFailure', 'an event type is unknown', { eventType: 'get-secret,nonsense' }, token],
    [422, 'ValidationFailure', 'the actor type is unknown', { actorType: 'ghost' }, token],
    [422, 'ValidationFailure', 'the user agent type is unknown', { userAgentType: 'ghost' }, token],
    [422, 'ValidationFailure', 'the metadata are no pairs', { eventMetadata: 'secretKey' }, token],
    [422, 'ValidationFailure', 'a date is none', { startDate: 'yesterday' }, token],
    [
      422,
      'ValidationFailure',
      'it ends before it starts',
      { startDate: '2026-02-02T00:00:00Z', endDate: '2026-02-01T00:00:00Z' },
      token,
    ],
    [
      422,
      'ValidationFailure',
      'it spans more than three months',
      { startDate: '2026-01-01T00:00:00Z', endDate: '2026-04-01T00:00:01Z' },
      token,
    ],
  ] as [number, string, string, Query, string | undefined][]) {
    test(`${status} when ${reason}`, async () => {
      const answer = await server.get(PATH, { token: as, query })
      assert.deepEqual([answer.status, answer.body.statusCode, answer.body.error], [status, status, error])
    })
  }
})

describe('a refusal', () => {
  test('of someone known is a row of its own, before the answer leaves', async () => {
    await server.get(`/api/v1/projects/${project.id}`, { token: outsider.token, ip: '192.0.2.33' })
    const { body } = await list({
      actor: outsider.identityId,
      projectId: project.id,
      eventType: 'refuse-request',
      limit: '1',
    })
    const [{ event, ipAddress, actor }] = body.auditLogs
    assert.deepEqual([ipAddress, actor.metadata.name], ['192.0.2.33', 'outsider'])
    const { message, ...rest } = event.metadata
    assert.match(String(message), /not a member/)
    assert.deepEqual(rest, {
      ...{ method: 'GET', route: '/api/v1/projects/:projectId', statusCode: 403, error: 'ProjectMembershipNotFound' },
      target: { projectId: project.id },
    })
  })

  test('is marked as one, unlike what was allowed', async () => {
    const { rows } = await sql<{ result: string; refusals: boolean }>`
      select distinct result, event_type = 'refuse-request' as refusals from audit_logs
      where organization_id = ${organizationId} order by result`.execute(db.pool)
    assert.deepEqual(rows, [
      { result: 'refused', refusals: true },
      { result: 'success', refusals: false },
    ])
  })
})

describe('the running server', () => {
  const POLLS_MAX = 200

  test('seals what was written, although a foreign transaction stays open', async () => {
    const foreign = await connectTo(server.url)
    await foreign.query('begin; select pg_current_xact_id()')
    await audit.note(robot, { type: 'to-be-sealed', metadata: {} })
    const sealed = () =>
      sql`select from audit_seals join audit_logs on seq = log_seq where event_type = 'to-be-sealed'`.execute(db.pool)
    for (let poll = 0; poll < POLLS_MAX && (await sealed()).rows.length === 0; poll++) await sleep(25)
    assert.equal((await sealed()).rows.length, 1)
    await foreign.query('rollback')
    await foreign.end()
  })
})

test('a project of another organization that a refused request named stays without its name', async () => {
  const foreign = await createProject(server, elsewhere.token, { projectName: 'Unheard of' })
  const refused = await server.get(PATH, { token: outsider.token, query: { projectId: foreign.id } })
  assert.equal(refused.status, 404)
  await audit.refused(robot, { projectId: foreign.id, metadata: {} })
  const { text } = await list({ eventType: 'refuse-request', limit: '1000' })
  assert.ok(text.includes(foreign.id))
  assert.ok(!text.includes('Unheard of'))
})
