import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openBeside } from '../../../test/test-database.ts'
import { createProjectMember, createRole, fresh, refusal, UNKNOWN_ID } from '../../../test/test-members.ts'
import { joinAs, logIn } from '../../../test/test-people.ts'
import { auditOf, createIdentity, createOtherOrganization, createProject } from '../../../test/test-projects.ts'
import { startTestServer } from '../../../test/test-server.ts'

const server = await startTestServer()
const admin = await server.bootstrap()
const { token, organizationId } = admin
const person = await logIn(server, admin)
const beside = openBeside(server.url)

const project = await createProject(server, token)
const elsewhere = await createOtherOrganization(server, admin)
const foreign = await createProject(server, elsewhere.token)
const custom = await createRole(server, admin, project.id, { subject: 'tags', action: 'read' })
const viewer = await createProjectMember(server, admin, project.id, 'viewer')
const powerless = await createProjectMember(server, admin, project.id, 'no-access')
const clerk = await createProjectMember(server, admin, project.id, {
  subject: 'member',
  action: ['read', 'create', 'edit', 'delete'],
})
const stranger = await createIdentity(server, admin)

const PATH = `/api/v1/projects/${project.id}/memberships`
const OLDER = `/api/v1/workspace/${project.id}/memberships`
const NEWER = `/api/v2/workspace/${project.id}/memberships`
const someone = () => joinAs(server, { token: person, organizationId, email: `${fresh('person')}@example.com` })
const joined = async (...roleSlugs: [string, ...string[]]) => {
  const user = await someone()
  const { body } = await server.post(PATH, { usernames: [user.email], roleSlugs }, { token })
  return { ...user, membershipId: body.memberships[0].id as string }
}
const known = await joined('viewer')

for (const path of [PATH, OLDER]) {
  describe(`people under ${path.replace(project.id, '{projectId}')}`, () => {
    test('200 are listed and read, by id and by name', async () => {
      const { memberships } = (await server.get(path, { token: viewer.token })).body
      const listed = memberships.find(({ id }: { id: string }) => id === known.membershipId)
      const { createdAt, roles, ...rest } = listed
      assert.ok(createdAt)
      assert.deepEqual(rest, {
        id: known.membershipId,
        userId: known.userId,
        projectId: project.id,
        user: {
          id: known.userId,
          username: known.email,
          email: known.email,
          firstName: 'Ada',
          lastName: 'Lovelace',
          isEmailVerified: true,
          authMethods: ['email'],
          publicKey: null,
        },
      })
      assert.deepEqual([roles.length, roles[0].role], [1, 'viewer'])
      const one = await server.get(`${path}/${known.membershipId}`, { token: viewer.token })
      assert.deepEqual(one.body, { membership: listed })
      const byName = await server.post(`${path}/details`, { username: known.email.toUpperCase() }, { token })
      assert.deepEqual(byName.body, { membership: listed })
    })

    test('200 PATCH replaces the roles, 200 DELETE removes', async () => {
      const { membershipId, userId, email } = await joined('viewer')
      const { body } = await server.patch(`${path}/${membershipId}`, { roles: [{ role: custom.slug }] }, { token })
      assert.deepEqual([body.roles[0].projectMembershipId, body.roles[0].customRoleId], [membershipId, custom.id])
      const removed = await server.delete(`${path}/${membershipId}`, { token })
      assert.deepEqual([removed.status, removed.body.membership.userId], [200, userId])
      assert.equal((await server.get(`${path}/${membershipId}`, { token })).status, 404)
      const events = await auditOf(beside.pool, project.id, 'remove-project-member')
      assert.deepEqual(events.at(-1)?.eventMetadata, { userId, email })
    })

    test('403 without the right, or beyond what may be assigned', async () => {
      const one = `${path}/${known.membershipId}`
      for (const answer of [
        await server.get(path, { token: powerless.token }),
        await server.get(one, { token: powerless.token }),
        await server.post(`${path}/details`, { username: known.email }, { token: powerless.token }),
        await server.patch(one, { roles: [{ role: 'no-access' }] }, { token: viewer.token }),
        await server.delete(one, { token: viewer.token }),
      ]) {
        assert.deepEqual([answer.status, answer.body.error], [403, 'PermissionDenied'])
      }
      assert.equal((await server.get(one, { token: stranger.token })).body.error, 'ProjectMembershipNotFound')
      assert.deepEqual(refusal(await server.patch(one, { roles: [{ role: 'member' }] }, { token: clerk.token })), [
        403,
        'PermissionBoundaryError',
        [{ action: 'assign-role', subject: 'member' }],
      ])
    })

    test('404 for any other membership, and for an unknown name; 422 without a permanent role', async () => {
      const machine = `/api/v1/projects/${project.id}/memberships/identities/${viewer.identityId}`
      const ofMachine = (await server.get(machine, { token })).body.identityMembership.id as string
      for (const id of [UNKNOWN_ID, 'x', ofMachine]) {
        assert.equal((await server.get(`${path}/${id}`, { token })).status, 404)
        assert.equal((await server.patch(`${path}/${id}`, { roles: [{ role: 'viewer' }] }, { token })).status, 404)
        assert.equal((await server.delete(`${path}/${id}`, { token })).status, 404)
      }
      assert.equal((await server.post(`${path}/details`, { username: 'nobody' }, { token })).status, 404)
      const roles = [{ role: 'viewer', isTemporary: true, temporaryMode: 'relative', temporaryRange: '1h' }].map(
        (role) => ({ ...role, temporaryAccessStartTime: '2030-01-01T00:00:00Z' }),
      )
      const long = await server.patch(`${path}/${known.membershipId}`, { roles }, { token })
      assert.deepEqual([long.status, long.body.message[0].message], [422, 'At least one long lived role is required'])
      assert.equal((await server.patch(`${path}/${known.membershipId}`, { roles: [] }, { token })).status, 422)
    })
  })
}

describe('the membership of a user, by the id of the user', () => {
  test('200, 404 for someone who is not in the project, 422 for what is no id', async () => {
    const path = (userId: string, projectId = project.id) => `/api/v1/projects/${projectId}/user/${userId}/membership`
    const { body } = await server.get(path(known.userId), { token })
    assert.equal(body.membership.id, known.membershipId)
    assert.equal((await server.get(path(UNKNOWN_ID), { token })).status, 404)
    assert.equal((await server.get(path('x'), { token })).status, 422)
    assert.equal((await server.get(path(known.userId, foreign.id), { token })).status, 404)
  })
})

describe('oneself', () => {
  test('400 cannot be removed by anyone who is it, and may leave', async () => {
    const { membershipId, email, token: own } = await joined('admin')
    assert.equal((await server.delete(`${PATH}/${membershipId}`, { token: own })).status, 400)
    const byName = await server.delete(PATH, { token: own, body: { usernames: [email] } })
    assert.deepEqual([byName.status, byName.body.error], [400, 'Delete project membership'])
    const left = await server.delete(`/api/v1/projects/${project.id}/leave`, { token: own })
    assert.deepEqual([left.status, left.body.membership.id], [200, membershipId])
    const again = await server.delete(`/api/v1/projects/${project.id}/leave`, { token: own })
    assert.equal(again.body.error, 'ProjectMembershipNotFound')
    assert.equal((await server.delete(`/api/v1/projects/${project.id}/leave`, { token })).status, 403)
  })
})

for (const path of [PATH, NEWER]) {
  describe(`taking people into ${path.replace(project.id, '{projectId}')}`, () => {
    test('200 adds members of the organization, with the role member unless others are given', async () => {
      const [first, second] = [await someone(), await someone()]
      const { status, body } = await server.post(
        path,
        { emails: [first.email], usernames: [second.email, first.email], projectId: 'x' },
        { token },
      )
      assert.equal(status, 200)
      assert.deepEqual(
        body.memberships.map(({ userId }: { userId: string }) => userId).sort(),
        [first.userId, second.userId].sort(),
      )
      assert.deepEqual(Object.keys(body.memberships[0]).sort(), ['createdAt', 'id', 'projectId', 'updatedAt', 'userId'])
      const shown = (await server.get(`${PATH}/${body.memberships[0].id}`, { token })).body.membership
      assert.equal(shown.roles[0].role, 'member')
      const again = await server.post(path, { emails: [first.email] }, { token })
      assert.deepEqual([again.status, again.body], [200, { memberships: [] }])
      const events = await auditOf(beside.pool, project.id, 'add-project-members')
      assert.equal((events.at(-1)?.eventMetadata['members'] as unknown[]).length, 2)
    })

    test('200 invites whoever is not in the organization yet, who then is in both', async () => {
      const email = `${fresh('new')}@example.com`
      const { status, body } = await server.post(
        path,
        { emails: [email.toUpperCase()], roleSlugs: ['viewer'] },
        { token },
      )
      assert.equal(status, 200, JSON.stringify(body))
      const { users } = (await server.get(`/api/v2/organizations/${organizationId}/memberships`, { token: person }))
        .body
      const invited = users.find(({ inviteEmail }: { inviteEmail: string }) => inviteEmail === email)
      assert.deepEqual([invited.status, invited.role], ['invited', path === PATH ? 'member' : 'no-access'])
      const { token: own } = await joinAs(server, { token: person, organizationId, email, role: 'no-access' })
      assert.equal((await server.get(`/api/v1/projects/${project.id}`, { token: own })).status, 200)
    })

    test('of two at the same time both end well, and nobody is in twice', async () => {
      const email = `${fresh('twice')}@example.com`
      const answers = await Promise.all([1, 2].map(() => server.post(path, { emails: [email] }, { token })))
      assert.deepEqual(answers.map(({ status, body }) => [status, body.memberships?.length]).sort(), [
        [200, 0],
        [200, 1],
      ])
      const { memberships } = (await server.get(PATH, { token })).body
      const found = memberships.filter(({ user }: { user: { email: string } }) => user.email === email)
      assert.deepEqual([found.length, found[0].roles.length], [1, 1])
    })

    test('400 for a name that is no address, 403 without the rights, 404 for a role; and nobody is added', async () => {
      const { email } = await someone()
      const before = (await server.get(PATH, { token })).text
      const hand = await createProjectMember(server, admin, project.id, {
        subject: 'member',
        action: ['create', 'assign-role'],
      })
      for (const [status, error, body, as] of [
        [400, 'BadRequest', { emails: [email], usernames: ['nobody-at-all'] }, token],
        [403, 'PermissionDenied', { emails: [email] }, viewer.token],
        [403, 'PermissionBoundaryError', { emails: [email] }, clerk.token],
        [403, 'PermissionDenied', { emails: [email, 'outsider@example.com'] }, hand.token],
        [404, 'NotFound', { emails: [email], roleSlugs: ['viewer', 'nonsense'] }, token],
        [422, 'ValidationFailure', { emails: ['not an address'] }, token],
        [422, 'ValidationFailure', { emails: [email], roleSlugs: [] }, token],
      ] as const) {
        const answer = await server.post(path, body, { token: as })
        assert.deepEqual([answer.status, answer.body.error], [status, error])
      }
      assert.equal((await server.get(PATH, { token })).text, before)
      assert.equal((await server.post(path, { emails: [email] }, { token: hand.token })).status, 200)
    })

    test('DELETE 200 by name removes all or, when one is not in, none', async () => {
      const [first, second] = [await joined('viewer'), await joined('viewer')]
      const outsider = await someone()
      const partly = await server.delete(path, { token, body: { usernames: [first.email, outsider.email] } })
      assert.deepEqual([partly.status, partly.body.error], [400, 'Delete project membership'])
      assert.equal((await server.get(`${PATH}/${first.membershipId}`, { token })).status, 200)
      assert.equal((await server.delete(path, { token: viewer.token, body: { emails: [first.email] } })).status, 403)
      const both = await server.delete(path, { token, body: { usernames: [first.email], emails: [second.email] } })
      assert.deepEqual([both.status, both.body.memberships.length], [200, 2])
      assert.equal((await server.get(`${PATH}/${second.membershipId}`, { token })).status, 404)
    })
  })
}

describe('conditions on an email address', () => {
  test('hold for reading, inviting, changing and removing', async () => {
    const keeper = await createProjectMember(server, admin, project.id, {
      subject: 'member',
      action: ['read', 'create', 'edit', 'delete', 'assign-role'],
      conditions: { userEmail: { $glob: 'keep*' } },
    })
    const as = { token: keeper.token }
    const kept = await joinAs(server, { token: person, organizationId, email: 'keep@example.com' })
    const { body } = await server.post(PATH, { usernames: [kept.email] }, as)
    assert.equal(body.memberships.length, 1)
    assert.deepEqual(
      (await server.get(PATH, as)).body.memberships.map(({ userId }: { userId: string }) => userId),
      [kept.userId],
    )
    const { email } = await someone()
    for (const answer of [
      await server.post(PATH, { usernames: [email] }, as),
      await server.get(`${PATH}/${known.membershipId}`, as),
      await server.patch(`${PATH}/${known.membershipId}`, { roles: [{ role: 'viewer' }] }, as),
      await server.delete(PATH, { ...as, body: { usernames: [kept.email, known.email] } }),
    ]) {
      assert.deepEqual([answer.status, answer.body.error], [403, 'PermissionDenied'])
    }
  })
})
