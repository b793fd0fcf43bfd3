import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newId } from '../../lib/uuid.ts'
import { expect200, TestMachines, UNIVERSAL_AUTH } from '../../../test/test-machines.ts'
import { createGroup, createProjectMember, createRole, joinAsIdentity } from '../../../test/test-members.ts'
import { joinAs, logIn } from '../../../test/test-people.ts'
import { PRIVILEGES } from '../../../test/test-privileges.ts'
import { createIdentity } from '../../../test/test-projects.ts'
import { TestSecrets } from '../../../test/test-secrets.ts'
import { everything, issuer, startStreamServer, startStreamServerOn, TestStream } from '../../../test/test-streams.ts'

const { server, port } = await startStreamServer()
const admin = await server.bootstrap()
const secrets = await TestSecrets.open(server, admin)
const { projectId } = secrets
const machines = new TestMachines(server, admin)
const { token } = admin

/** How long a right may be felt after it has gone, and then some for a busy machine. */
const ENDED_MS_MAX = 1_500

const open = (accessToken: string, register = everything()) =>
  TestStream.open(port, { token: accessToken, projectId, register })
const member = (role = 'viewer') => createProjectMember(server, admin, projectId, role)
const machineInProject = async (settings: object = {}, role = 'viewer') => {
  const machine = await machines.withSecret(settings)
  await joinAsIdentity(server, admin, projectId, { identityId: machine.id, role })
  return machine
}

const pass = (ms: number): Promise<void> => {
  server.clock.advance(ms)
  return Promise.resolve()
}

let made = 0
/** Something that every stream would hear of which still may. */
const changeSomething = async () => {
  const key = `CHANGE_${++made}`
  expect200(await secrets.create(key, '1'))
  return `create dev / ${key}`
}

/** After `end` nothing is told any more, not even what is committed at once; and the stream ends for a reason. */
const endsBy = async (stream: TestStream, end: () => Promise<unknown>, reason: RegExp) => {
  const before = await changeSomething()
  await stream.until(() => stream.told.includes(before))
  await end()
  const [tookMs] = await Promise.all([stream.ended(), changeSomething()])
  assert.equal(stream.told.at(-1), before)
  assert.match(stream.error ?? '', reason)
  assert.equal(stream.messages.at(-1)?.event, 'error')
  assert.equal(stream.endedBy, 'ECONNRESET')
  assert.ok(tookMs < ENDED_MS_MAX, `${tookMs} ms`)
}

describe('a stream ends when', () => {
  test('its token is revoked', async () => {
    const accessToken = await machines.tokenOf(await machineInProject())
    await endsBy(await open(accessToken), () => server.post('/api/v1/auth/token/revoke', { accessToken }), /revoked/)
  })

  test('its token expires', async () => {
    const accessToken = await machines.tokenOf(await machineInProject({ accessTokenTTL: 60, accessTokenMaxTTL: 60 }))
    const stream = await open(accessToken)
    await endsBy(stream, () => pass(60_000), /expired/)
  })

  test('its client secret is revoked', async () => {
    const machine = await machineInProject()
    const path = `${UNIVERSAL_AUTH}/identities/${machine.id}/client-secrets/${machine.clientSecretId}/revoke`
    await endsBy(await open(await machines.tokenOf(machine)), () => server.post(path, {}, { token }), /revoked/)
  })

  test('its login method is detached', async () => {
    const machine = await machineInProject()
    const path = `${UNIVERSAL_AUTH}/identities/${machine.id}`
    await endsBy(await open(await machines.tokenOf(machine)), () => server.delete(path, { token }), /ended/)
  })

  test('its address is no longer trusted', async () => {
    const machine = await machineInProject()
    const body = { accessTokenTrustedIps: [{ ipAddress: '10.1.2.3' }] }
    const change = async () =>
      expect200(await server.patch(`${UNIVERSAL_AUTH}/identities/${machine.id}`, body, { token }))
    await endsBy(await open(await machines.tokenOf(machine)), change, /address '127.0.0.1'/)
  })

  test('its identity is deleted', async () => {
    const { identityId, token: accessToken } = await member()
    const remove = async () => expect200(await server.delete(`/api/v1/identities/${identityId}`, { token }))
    await endsBy(await open(accessToken), remove, /ended/)
  })

  test('its membership is removed', async () => {
    const { identityId, token: accessToken } = await member()
    const path = `/api/v1/projects/${projectId}/memberships/identities/${identityId}`
    await endsBy(await open(accessToken), async () => expect200(await server.delete(path, { token })), /not a member/)
  })

  test('its role no longer holds the right', async () => {
    const rule = (action: string) => ({ subject: 'secret-event-subscriptions', action: [action] })
    const role = await createRole(server, admin, projectId, rule('subscribe-to-creation-events'))
    const { identityId, token: accessToken } = await createIdentity(server, admin)
    await joinAsIdentity(server, admin, projectId, { identityId, role: role.slug })
    const path = `/api/v1/projects/${projectId}/roles/${role.id}`
    const permissions = [rule('subscribe-to-update-events')]
    const change = async () => expect200(await server.patch(path, { permissions }, { token }))
    await endsBy(await open(accessToken, [{ event: 'secret:create' }]), change, /not allowed to subscribe-to-creation/)
  })

  test('its privilege ends by the clock', async () => {
    const { identityId, token: accessToken } = await member('no-access')
    const privilege = {
      identityId,
      projectId,
      slug: `watch-${newId()}`,
      permissions: [{ subject: 'secret-event-subscriptions', action: ['subscribe-to-creation-events'] }],
      type: {
        isTemporary: true,
        temporaryMode: 'relative',
        temporaryRange: '1h',
        temporaryAccessStartTime: new Date(server.clock.now()).toISOString(),
      },
    }
    expect200(await server.post(PRIVILEGES, privilege, { token }))
    const stream = await open(accessToken, [{ event: 'secret:create' }])
    await endsBy(stream, () => pass(3_600_000), /not allowed/)
  })

  test('its group loses it', async () => {
    const { identityId, token: accessToken } = await createIdentity(server, admin)
    const group = await createGroup(server, admin)
    const membership = `/api/v1/groups/${group.id}/machine-identities/${identityId}`
    expect200(await server.post(membership, {}, { token }))
    const groupPath = `/api/v1/projects/${projectId}/memberships/groups/${group.id}`
    expect200(await server.post(groupPath, { role: 'viewer' }, { token }))
    await endsBy(
      await open(accessToken),
      async () => expect200(await server.delete(membership, { token })),
      /not a member/,
    )
  })

  test('its organization lets it go', async () => {
    const machine = await machineInProject()
    const path = `/api/v1/identities/${machine.id}`
    await endsBy(await open(await machines.tokenOf(machine)), () => server.delete(path, { token }), /ended/)
  })

  test('another request takes the last use of its token', async () => {
    const accessToken = await machines.tokenOf(await machineInProject({ accessTokenNumUsesLimit: 2 }))
    const use = () => server.get('/api/v1/identities/details', { token: accessToken })
    await endsBy(await open(accessToken), use, /no uses left/)
  })

  test('the session of its user ends', async () => {
    const inviter = { ...admin, token: await logIn(server, admin) }
    const person = await joinAs(server, { ...inviter, email: 'watcher@example.com' })
    const path = `/api/v1/projects/${projectId}/memberships`
    expect200(await server.post(path, { emails: [person.email], roleSlugs: ['viewer'] }, { token }))
    const stream = await open(person.token)
    await endsBy(stream, () => server.delete('/api/v2/users/me/sessions', { token: person.token }), /session/)
  })

  test('its project is deleted', async () => {
    const other = await TestSecrets.open(server, admin)
    const { token: accessToken } = await createProjectMember(server, admin, other.projectId, 'viewer')
    const stream = await TestStream.open(port, { token: accessToken, projectId: other.projectId })
    expect200(await server.delete(`/api/v1/projects/${other.projectId}`, { token }))
    assert.ok((await stream.ended()) < ENDED_MS_MAX)
    assert.match(stream.error ?? '', /not found/)
  })

  test('an environment comes that it may not hear of, though it asked for all', async () => {
    const slug = 'secret-one'
    const rules = ['creation', 'update', 'deletion', 'import-mutation'].map((kind) => ({
      subject: 'secret-event-subscriptions',
      action: [`subscribe-to-${kind}-events`],
    }))
    const denial = { ...rules[0], inverted: true, conditions: { environment: slug } } as (typeof rules)[number]
    const { token: accessToken } = await createProjectMember(server, admin, projectId, ...rules, denial)
    const add = async () =>
      expect200(await server.post(`/api/v1/projects/${projectId}/environments`, { name: slug, slug }, { token }))
    await endsBy(await open(accessToken), add, /not allowed/)
  })
})

test('the stream that takes the last use of its token stays', async () => {
  const accessToken = await machines.tokenOf(await machineInProject({ accessTokenNumUsesLimit: 1 }))
  const stream = await open(accessToken)
  assert.equal((await server.get('/api/v1/identities/details', { token: accessToken })).status, 401)
  const change = await changeSomething()
  await stream.until(() => stream.told.includes(change))
  stream.close()
})

test('what is revoked in another process ends streams here, before anything committed later is told', async () => {
  const { server: elsewhere } = await startStreamServerOn(server.url)
  try {
    const { identityId, token: accessToken } = await member()
    const stream = await open(accessToken)
    const path = `/api/v1/projects/${projectId}/memberships/identities/${identityId}`
    const remove = async () => expect200(await elsewhere.delete(path, { token }))
    await endsBy(stream, remove, /not a member/)
  } finally {
    await elsewhere.stop()
  }
})

test('a stream goes on when what changed leaves it its right, and misses nothing meanwhile', async () => {
  const { identityId, token: accessToken } = await member()
  const stream = await open(accessToken)
  const told: string[] = []
  for (let round = 0; round < 5; round++) {
    const path = `/api/v1/projects/${projectId}/memberships/identities/${identityId}`
    const roles = [{ role: round % 2 ? 'viewer' : 'member' }]
    await Promise.all([
      server.patch(path, { roles }, { token }).then(expect200),
      changeSomething().then((change) => told.push(change)),
    ])
  }
  await stream.waitFor(told.length)
  assert.deepEqual(stream.told, told)
  stream.close()
})

test('an end of the licence ends all streams, and an hour before it nothing', async () => {
  const { server: other, port: otherPort } = await startStreamServer({
    HOLDFAST_LICENSE: issuer.issue({ endsAt: Math.floor(Date.now() / 1000) * 1000 + 7_200_000 }),
  })
  const owner = await other.bootstrap()
  const project = await TestSecrets.open(other, owner)
  const stream = await TestStream.open(otherPort, { token: owner.token, projectId: project.projectId })
  other.clock.advance(3_600_000)
  await project.create('A', '1')
  await stream.waitFor(1)
  other.clock.advance(3_600_000)
  assert.ok((await stream.ended()) < ENDED_MS_MAX)
  assert.match(stream.error ?? '', /not available on your current plan/)
})

test('a removed licence ends all streams', async () => {
  const { server: other, port: otherPort } = await startStreamServer({ HOLDFAST_LICENSE: '' })
  const owner = await other.bootstrap()
  const project = await TestSecrets.open(other, owner)
  const installed = expect200(await other.post('/api/x/license', { token: issuer.issue() }, { token: owner.token }))
  const stream = await TestStream.open(otherPort, { token: owner.token, projectId: project.projectId })
  expect200(await other.delete(`/api/x/license/${installed.body.license.id as string}`, { token: owner.token }))
  assert.ok((await stream.ended()) < ENDED_MS_MAX)
  assert.match(stream.error ?? '', /not available on your current plan/)
})
