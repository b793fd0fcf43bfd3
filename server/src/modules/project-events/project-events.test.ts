import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { auditOf, createIdentity, createOtherOrganization } from '../../../test/test-projects.ts'
import { createProjectMember } from '../../../test/test-members.ts'
import { openBeside } from '../../../test/test-database.ts'
import { logIn } from '../../../test/test-people.ts'
import { joinUser, TestSecrets } from '../../../test/test-secrets.ts'
import { ALL_KINDS, everything, startStreamServer, SUBSCRIBE, TestStream } from '../../../test/test-streams.ts'

const { server, port } = await startStreamServer()
const admin = await server.bootstrap()
const secrets = await TestSecrets.open(server, admin)
const { projectId } = secrets
const db = openBeside(server.url)
const viewer = await createProjectMember(server, admin, projectId, 'viewer')

const SUBJECT = 'secret-event-subscriptions'
const CREATION = 'subscribe-to-creation-events'
const PERMISSION = { subject: SUBJECT, action: [CREATION] }
const subscribe = (body: object, token?: string) => server.post(SUBSCRIBE, { projectId, ...body }, { token })
const open = (register = everything(), token = viewer.token) => TestStream.open(port, { token, projectId, register })

describe('a subscription is refused', () => {
  const one = { register: [{ event: 'secret:create' }] }

  test('401 without a token', async () => {
    const { status, body } = await subscribe(one)
    assert.deepEqual([status, body.error], [401, 'UnauthorizedError'])
  })

  test('403 with a token that is none', async () => {
    const { status, body } = await subscribe(one, 'x.y.z')
    assert.deepEqual([status, body.error], [403, 'TokenError'])
  })

  for (const [reason, register] of [
    ['there is no entry', []],
    ['there are eleven entries', Array.from({ length: 11 }, () => ({ event: 'secret:create' }))],
    ['the kind is unknown', [{ event: 'secret:read' }]],
    ['there is no kind', [{ conditions: {} }]],
    ['an environment is no text', [{ event: 'secret:create', conditions: { environmentSlug: 5 } }]],
    ['the conditions are null', [{ event: 'secret:create', conditions: null }]],
    ['a path is longer than any', [{ event: 'secret:create', conditions: { secretPath: `/${'x'.repeat(1_024)}` } }]],
  ] as const) {
    test(`422 when ${reason}`, async () => {
      const { status, body } = await subscribe({ register }, viewer.token)
      assert.deepEqual([status, body.error], [422, 'ValidationFailure'])
    })
  }

  for (const id of ['', 'nope', '00000000-0000-4000-8000-000000000000']) {
    test(`404 when the project is '${id}'`, async () => {
      const { status, body } = await subscribe({ ...one, projectId: id }, viewer.token)
      assert.deepEqual([status, body.error], [404, 'NotFound'])
    })
  }

  test('404 when the project is of another organization', async () => {
    const other = await createOtherOrganization(server, admin)
    assert.equal((await subscribe(one, other.token)).status, 404)
  })

  test('403 when the caller is not in the project', async () => {
    const { token } = await createIdentity(server, admin)
    const { status, body } = await subscribe(one, token)
    assert.deepEqual([status, body.error], [403, 'ProjectMembershipNotFound'])
  })

  test('403 when one of the kinds is not allowed, naming the action', async () => {
    const { token } = await createProjectMember(server, admin, projectId, PERMISSION)
    const { status, body } = await subscribe({ register: everything() }, token)
    assert.deepEqual([status, body.error], [403, 'PermissionDenied'])
    assert.match(body.message, /subscribe-to-update-events on secret-event-subscriptions/)
  })

  test('403 when no environment is named and one is not allowed', async () => {
    const { token } = await createProjectMember(server, admin, projectId, {
      ...PERMISSION,
      conditions: { environment: 'dev' },
    })
    assert.equal((await subscribe(one, token)).status, 403)
    const inProd = { register: [{ event: 'secret:create', conditions: { environmentSlug: 'prod' } }] }
    assert.equal((await subscribe(inProd, token)).status, 403)
    const inDev = [{ event: 'secret:create', conditions: { environmentSlug: 'dev' } }]
    assert.ok(await open(inDev, token))
  })

  test('404 by GET and over HTTP/1.0', async () => {
    assert.equal((await server.get(SUBSCRIBE, { token: viewer.token })).status, 404)
    const stream = await TestStream.send(port, {
      token: viewer.token,
      projectId,
      version: '1.0',
      headers: ['Connection: close'],
    })
    await stream.ended()
    assert.match(stream.text, /^HTTP\/1.1 404 /)
  })
})

describe('a stream', () => {
  test('begins with its head and a ping, at once', async () => {
    const stream = await open()
    const [status, ...headers] = stream.head.trimEnd().split('\r\n')
    assert.equal(status, 'HTTP/1.1 200 OK')
    const names = headers.map((line) => line.toLowerCase())
    for (const header of [
      'cache-control: no-cache',
      'content-type: text/event-stream',
      'connection: keep-alive',
      'x-accel-buffering: no',
      'transfer-encoding: chunked',
      'x-content-type-options: nosniff',
      'strict-transport-security: max-age=31536000; includesubdomains',
    ]) {
      assert.ok(names.includes(header), header)
    }
    assert.ok(!names.some((line) => /^(etag|access-control-|content-length|content-encoding|vary)/.test(line)))
    assert.equal(stream.text, `${stream.head}d\r\nevent: ping\n\n\r\n`)
    stream.close()
  })

  test('tells of the four kinds, each byte as it should be, without a value', async () => {
    const stream = await open()
    await secrets.folder('wire')
    const place = { secretPath: '/wire' }
    await secrets.create('KEY', 'a value', place)
    await secrets.update('KEY', { ...place, secretValue: 'another value' })
    await secrets.remove('KEY', place)
    await server.post(
      '/api/v2/secret-imports',
      { projectId, environment: 'dev', path: '/wire', import: { environment: 'dev', path: '/' } },
      { token: admin.token },
    )
    await stream.until(() => stream.told.includes('import-mutation dev /wire'))
    for (const kind of ['create', 'update', 'delete']) {
      const message = stream.events.find(({ raw }) => raw.includes(`event: secret:${kind}\n`))
      assert.equal(
        message?.raw,
        `id: ${message?.id}\nevent: secret:${kind}\ndata: {"projectType":"secret-manager","data":{"eventType":"secret:${kind}","payload":[{"environment":"dev","secretPath":"/wire","secretKey":"KEY"}]}}`,
      )
    }
    const last = stream.events.at(-1)
    assert.equal(
      last?.raw,
      `id: ${last?.id}\nevent: secret:import-mutation\ndata: {"projectType":"secret-manager","data":{"eventType":"secret:import-mutation","payload":{"environment":"dev","secretPath":"/wire"}}}`,
    )
    const ids = stream.events.map(({ id }) => id ?? 0)
    assert.deepEqual(
      ids,
      [...new Set(ids)].sort((a, b) => a - b),
    )
    assert.ok(!stream.text.includes('value'))
    stream.close()
  })

  test('tells of what its entries name and of nothing else, once however many name it', async () => {
    await secrets.folder('app')
    await secrets.folder('deep', { path: '/app' })
    const streams = {
      root: await open(everything({ environmentSlug: 'dev' })),
      app: await open(everything({ secretPath: '/app' })),
      below: await open([...everything({ secretPath: '/app/**' }), ...everything({ secretPath: '/**' }).slice(0, 1)]),
      prod: await open(everything({ environmentSlug: 'prod', secretPath: '/**' })),
      updates: await open([{ event: 'secret:update' }]),
      nowhere: await open(everything({ environmentSlug: 'no-such', secretPath: '/**' })),
    }
    await secrets.create('ROOT', '1')
    await secrets.create('APP', '1', { secretPath: '/app' })
    await secrets.create('DEEP', '1', { secretPath: '/app/deep' })
    await secrets.create('PROD', '1', { environment: 'prod' })
    await secrets.update('DEEP', { secretPath: '/app/deep', secretValue: '2' })
    await streams.updates.until(() => streams.updates.told.length === 1)
    const told = Object.entries(streams).map(([name, stream]) => [name, stream.told] as const)
    assert.deepEqual(Object.fromEntries(told), {
      root: ['create dev / ROOT'],
      app: ['create dev /app APP'],
      below: [
        'create dev / ROOT',
        'create dev /app APP',
        'create dev /app/deep DEEP',
        'create prod / PROD',
        'update dev /app/deep DEEP',
      ],
      prod: ['create prod / PROD'],
      updates: ['update dev /app/deep DEEP'],
      nowhere: [],
    })
    for (const stream of Object.values(streams)) stream.close()
  })

  test('tells of what its right covers, however much it asked for', async () => {
    const { token } = await createProjectMember(server, admin, projectId, {
      ...PERMISSION,
      conditions: { environment: 'dev', secretPath: { $glob: '/team/*' } },
    })
    for (const name of ['team', 'other']) await secrets.folder(name)
    await secrets.folder('a', { path: '/team' })
    const stream = await open(
      [{ event: 'secret:create', conditions: { environmentSlug: 'dev', secretPath: '/team/**' } }],
      token,
    )
    await secrets.create('ABOVE', '1', { secretPath: '/team' })
    await secrets.create('INSIDE', '1', { secretPath: '/team/a' })
    await stream.waitFor(1)
    assert.deepEqual(stream.told, ['create dev /team/a INSIDE'])
    stream.close()
  })

  test('tells nothing of a change that was rolled back', async () => {
    const stream = await open([{ event: 'secret:create' }])
    const change = {
      scope: 'folder:x',
      kind: 'secret-created',
      body: { organizationId: admin.organizationId, projectId, environment: 'dev', path: '/', keys: ['GHOST'] },
    }
    await assert.rejects(
      server.app.services.db.transaction(async (tx) => {
        await server.app.services.changes.append(tx, change)
        throw new Error('no')
      }),
    )
    await secrets.create('REAL', '1')
    await stream.waitFor(1)
    assert.deepEqual(stream.told, ['create dev / REAL'])
    stream.close()
  })

  test('is recorded with what it asked for', async () => {
    const before = await auditOf(db.pool, projectId, 'subscribe-project-events')
    const stream = await open([{ event: 'secret:delete', conditions: { secretPath: '/x' } }])
    const after = await auditOf(db.pool, projectId, 'subscribe-project-events')
    assert.equal(after.length, before.length + 1)
    assert.deepEqual(after.at(-1)?.eventMetadata, {
      register: [{ event: 'secret:delete', conditions: { secretPath: '/x' } }],
    })
    stream.close()
  })

  test('is open to a person as well, and takes unknown keys for none', async () => {
    await joinUser(db.pool, projectId, { userId: admin.userId, role: 'viewer' })
    const token = await logIn(server, admin)
    const stream = await open([{ event: ALL_KINDS[0], foo: 1 } as { event: string }], token)
    await secrets.create('FOR_PEOPLE', '1')
    await stream.waitFor(1)
    stream.close()
  })

  test('is closed when a second request comes behind it, which nobody serves', async () => {
    const stream = await open()
    stream.socket.write(
      `DELETE /api/v1/projects/${projectId} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${admin.token}\r\n\r\n`,
    )
    await stream.ended()
    assert.equal((await server.get(`/api/v1/projects/${projectId}`, { token: admin.token })).status, 200)
  })

  test('is closed when garbage comes behind it', async () => {
    const stream = await open()
    stream.socket.write('\u0000\u0001 garbage\r\n\r\n')
    await stream.ended()
    assert.ok(!stream.text.includes('400'))
  })
})

test('400 without a licence, after all other refusals, with the words that clients look for', async () => {
  const { server: unlicensed, port: otherPort } = await startStreamServer({ HOLDFAST_LICENSE: '' })
  const owner = await unlicensed.bootstrap()
  const project = await TestSecrets.open(unlicensed, owner)
  const stream = await TestStream.send(otherPort, { token: owner.token, projectId: project.projectId })
  await stream.until(() => stream.text.includes('}'))
  assert.match(stream.text, /^HTTP\/1.1 400 .*BadRequest/s)
  assert.match(stream.text, /not available on your current plan/)
  stream.close()
  const { token } = await createProjectMember(unlicensed, owner, project.projectId, 'no-access')
  const refused = await unlicensed.post(SUBSCRIBE, { projectId: project.projectId, register: everything() }, { token })
  assert.equal(refused.status, 403)
})
