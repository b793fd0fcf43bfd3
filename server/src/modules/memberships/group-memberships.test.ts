import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openBeside } from '../../../test/test-database.ts'
import { createGroup, createProjectMember, createRole, fresh, refusal, UNKNOWN_ID } from '../../../test/test-members.ts'
import { auditOf, createIdentity, createOtherOrganization, createProject } from '../../../test/test-projects.ts'
import { startTestServer } from '../../../test/test-server.ts'

const server = await startTestServer()
const admin = await server.bootstrap()
const { token, organizationId } = admin
const beside = openBeside(server.url)

const project = await createProject(server, token, { projectName: 'Payments' })
const certificates = await createProject(server, token, { type: 'cert-manager' })
const other = await createProject(server, token)
const elsewhere = await createOtherOrganization(server, admin)
const foreign = await createGroup(server, elsewhere)
const custom = await createRole(server, admin, project.id, { subject: 'tags', action: 'read' })
const ofOther = await createRole(server, admin, other.id)
const viewer = await createProjectMember(server, admin, project.id, 'viewer')
const powerless = await createProjectMember(server, admin, project.id, 'no-access')
const stranger = await createIdentity(server, admin)
const clerk = await createProjectMember(server, admin, project.id, {
  subject: 'groups',
  action: ['read', 'create', 'edit', 'delete'],
})
const delegate = await createProjectMember(
  server,
  admin,
  project.id,
  { subject: 'groups', action: ['read', 'create', 'edit'] },
  { subject: 'groups', action: 'assign-role', conditions: { assignableRole: { $in: ['viewer', custom.slug] } } },
)

const outside = await createGroup(server, admin)

const PATH = `/api/v1/projects/${project.id}/memberships/groups`
const START = '2030-01-01T00:00:00.000Z'
const temporary = (role: string, changes: object = {}) => ({
  role,
  isTemporary: true,
  temporaryMode: 'relative',
  temporaryRange: '1h',
  temporaryAccessStartTime: START,
  ...changes,
})
/** As a client sends it that fills in every field. */
const filledIn = (role: string) => ({
  role,
  isTemporary: false,
  temporaryMode: '',
  temporaryRange: '',
  temporaryAccessStartTime: '0001-01-01T00:00:00Z',
})
const PERMANENT = {
  isTemporary: false,
  temporaryMode: null,
  temporaryRange: null,
  temporaryAccessStartTime: null,
  temporaryAccessEndTime: null,
}

const joined = async (body: object = { role: 'viewer' }) => {
  const group = await createGroup(server, admin)
  const { status, text } = await server.post(`${PATH}/${group.id}`, body, { token })
  assert.equal(status, 200, text)
  return group
}

describe(`POST ${PATH.replace(project.id, '{projectId}')}/{groupId}`, () => {
  test('200 puts the group in, with no access unless a role is given', async () => {
    const group = await createGroup(server, admin)
    const { status, body } = await server.post(`${PATH}/${group.id}`, undefined, { token })
    assert.equal(status, 200)
    const { id, createdAt, updatedAt, roles, ...rest } = body.groupMembership
    assert.ok(id && createdAt && updatedAt)
    assert.deepEqual(rest, {
      groupId: group.id,
      projectId: project.id,
      group: { id: group.id, name: group.name, slug: group.slug, orgId: organizationId },
    })
    const [{ id: roleId, createdAt: since, updatedAt: changed, ...role }] = roles
    assert.ok(roleId && since && changed)
    assert.deepEqual(role, {
      role: 'no-access',
      customRoleId: null,
      customRoleName: null,
      customRoleSlug: null,
      ...PERMANENT,
    })
    assert.deepEqual((await server.get(`${PATH}/${group.id}`, { token: viewer.token })).body, body)
  })

  test('200 takes one role, or a list, which wins; in the order given', async () => {
    const one = await joined({ role: custom.slug })
    const held = (await server.get(`${PATH}/${one.id}`, { token })).body.groupMembership.roles
    assert.deepEqual(
      [held[0].role, held[0].customRoleId, held[0].customRoleSlug, held[0].customRoleName],
      ['custom', custom.id, custom.slug, custom.name],
    )
    const several = await joined({
      role: 'admin',
      roles: [temporary('member'), filledIn('viewer'), { role: custom.slug }],
      GroupIdOrName: 'x',
      projectId: 'x',
    })
    const { roles } = (await server.get(`${PATH}/${several.id}`, { token })).body.groupMembership
    assert.deepEqual(
      roles.map(({ role }: { role: string }) => role),
      ['member', 'viewer', 'custom'],
    )
    assert.deepEqual(
      [roles[0].temporaryRange, roles[0].temporaryAccessStartTime, roles[0].temporaryAccessEndTime],
      ['1h', START, '2030-01-01T01:00:00.000Z'],
    )
    assert.deepEqual(roles[1], { ...roles[1], ...PERMANENT })
  })

  test('400 when it is in already, also of two at the same time, and nothing is doubled', async () => {
    const group = await createGroup(server, admin)
    const answers = await Promise.all([1, 2, 3].map(() => server.post(`${PATH}/${group.id}`, undefined, { token })))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400])
    const { roles } = (await server.get(`${PATH}/${group.id}`, { token })).body.groupMembership
    assert.equal(roles.length, 1)
  })

  for (const [status, error, reason, as, body] of [
    [400, 'BadRequest', 'there is no role at all', token, { roles: [] }],
    [400, 'BadRequest', 'no role is for good', token, { roles: [temporary('viewer')] }],
    [401, 'UnauthorizedError', 'no token is sent', undefined, {}],
    [403, 'PermissionDenied', 'the actor may not add groups', viewer.token, {}],
    [403, 'ProjectMembershipNotFound', 'the actor is not in the project', stranger.token, {}],
    [403, 'PermissionBoundaryError', 'the actor may not assign roles', clerk.token, { role: 'viewer' }],
    [403, 'PermissionBoundaryError', 'the actor may not assign this role', delegate.token, { role: 'admin' }],
    [404, 'NotFound', 'there is no such role', token, { role: 'nonsense' }],
    [404, 'NotFound', 'the role is of another project', token, { role: ofOther.slug }],
    [404, 'NotFound', 'the word for custom roles is given', token, { role: 'custom' }],
    [404, 'NotFound', 'a custom role is given twice', token, { roles: [{ role: custom.slug }, { role: custom.slug }] }],
    [422, 'ValidationFailure', 'the role is empty', token, { role: '' }],
    [
      422,
      'ValidationFailure',
      'a temporary role lacks its times',
      token,
      { roles: [{ role: 'viewer', isTemporary: true }] },
    ],
    [
      422,
      'ValidationFailure',
      'a range is not positive',
      token,
      { roles: [temporary('viewer', { temporaryRange: '0s' })] },
    ],
    [422, 'ValidationFailure', 'a range is empty', token, { roles: [temporary('viewer', { temporaryRange: '' })] }],
    [
      422,
      'ValidationFailure',
      'a start is no time',
      token,
      { roles: [temporary('viewer', { temporaryAccessStartTime: 'now' })] },
    ],
    [
      422,
      'ValidationFailure',
      'a start is before 1970',
      token,
      { roles: [temporary('viewer', { temporaryAccessStartTime: '0000-01-01T00:00:00Z' })] },
    ],
    [
      422,
      'ValidationFailure',
      'an end is beyond the year 9999',
      token,
      { roles: [temporary('viewer', { temporaryAccessStartTime: '9999-12-31T23:30:00Z' })] },
    ],
  ] as const) {
    test(`${status} when ${reason}, and nothing is stored`, async () => {
      const answer = await server.post(`${PATH}/${outside.id}`, body, { token: as })
      assert.deepEqual([answer.status, answer.body.error], [status, error])
      assert.equal((await server.get(`${PATH}/${outside.id}`, { token })).status, 404)
    })
  }

  test('404 for a group that is unknown or of another organization, 422 for what is no id', async () => {
    for (const id of [UNKNOWN_ID, foreign.id]) {
      assert.equal((await server.post(`${PATH}/${id}`, {}, { token })).status, 404)
    }
    const malformed = await server.post(`${PATH}/x`, {}, { token })
    assert.deepEqual([malformed.status, malformed.body.message[0].path], [422, ['groupId']])
  })

  test('200 without a right to assign, for no access; and within what may be assigned', async () => {
    const [first, second] = [await createGroup(server, admin), await createGroup(server, admin)]
    assert.equal((await server.post(`${PATH}/${first.id}`, {}, { token: clerk.token })).status, 200)
    const body = { roles: [{ role: 'viewer' }, { role: custom.slug }] }
    assert.equal((await server.post(`${PATH}/${second.id}`, body, { token: delegate.token })).status, 200)
  })

  test('400 in a project for certificates, for any role but admin and member', async () => {
    const group = await createGroup(server, admin)
    const path = `/api/v1/projects/${certificates.id}/memberships/groups/${group.id}`
    assert.equal((await server.post(path, { role: 'viewer' }, { token })).status, 400)
    assert.equal((await server.post(path, { role: 'member' }, { token })).status, 200)
  })
})

describe(`PATCH ${PATH.replace(project.id, '{projectId}')}/{groupId}`, () => {
  test('200 replaces all roles and answers with the new ones, in the order given', async () => {
    const group = await joined()
    const before = (await server.get(`${PATH}/${group.id}`, { token })).body.groupMembership
    const roles = [filledIn(custom.slug), temporary('member'), { role: 'viewer' }]
    const { status, body } = await server.patch(`${PATH}/${group.id}`, { roles, groupId: 'x' }, { token })
    assert.equal(status, 200)
    const [first, second] = body.roles
    assert.deepEqual(Object.keys(first).sort(), [
      'createdAt',
      'customRoleId',
      'id',
      'isTemporary',
      'projectMembershipId',
      'role',
      'temporaryAccessEndTime',
      'temporaryAccessStartTime',
      'temporaryMode',
      'temporaryRange',
      'updatedAt',
    ])
    assert.deepEqual(first, {
      ...first,
      ...PERMANENT,
      role: 'custom',
      customRoleId: custom.id,
      projectMembershipId: before.id,
    })
    assert.deepEqual([second.role, second.isTemporary, second.temporaryMode], ['member', true, 'relative'])
    assert.deepEqual(
      body.roles.map(({ role }: { role: string }) => role),
      ['custom', 'member', 'viewer'],
    )
    const after = (await server.get(`${PATH}/${group.id}`, { token })).body.groupMembership
    assert.equal(after.id, before.id)
    assert.deepEqual(
      after.roles.map(({ id }: { id: string }) => id),
      body.roles.map(({ id }: { id: string }) => id),
    )
    assert.notEqual(after.updatedAt, before.updatedAt)
  })

  test('200 takes a predefined role twice, as it comes', async () => {
    const group = await joined()
    const roles = [{ role: 'viewer' }, { role: 'viewer' }]
    assert.equal((await server.patch(`${PATH}/${group.id}`, { roles }, { token })).body.roles.length, 2)
  })

  for (const [status, error, reason, as, roles] of [
    [400, 'BadRequest', 'no role is for good', token, [temporary('viewer')]],
    [401, 'UnauthorizedError', 'no token is sent', undefined, [{ role: 'viewer' }]],
    [403, 'PermissionDenied', 'the actor may not edit groups', viewer.token, [{ role: 'no-access' }]],
    [
      403,
      'PermissionBoundaryError',
      'one of the roles may not be assigned',
      delegate.token,
      [{ role: 'viewer' }, { role: 'member' }],
    ],
    [404, 'NotFound', 'one of the roles does not exist', token, [{ role: 'member' }, { role: 'nonsense' }]],
    [404, 'NotFound', 'one of the roles is of another project', token, [{ role: 'member' }, { role: ofOther.slug }]],
    [422, 'ValidationFailure', 'there is none', token, []],
    [422, 'ValidationFailure', 'there are too many', token, Array.from({ length: 101 }, () => ({ role: 'viewer' }))],
  ] as const) {
    test(`${status} when ${reason}, and everything stays as it was`, async () => {
      const group = await joined()
      const before = (await server.get(`${PATH}/${group.id}`, { token })).text
      const answer = await server.patch(`${PATH}/${group.id}`, { roles }, { token: as })
      assert.deepEqual([answer.status, answer.body.error], [status, error])
      assert.equal((await server.get(`${PATH}/${group.id}`, { token })).text, before)
    })
  }

  test('403 tells what is missing', async () => {
    const group = await joined()
    const answer = await server.patch(`${PATH}/${group.id}`, { roles: [{ role: 'admin' }] }, { token: clerk.token })
    assert.deepEqual(refusal(answer), [403, 'PermissionBoundaryError', [{ action: 'assign-role', subject: 'groups' }]])
  })

  test('400 for a group that is not in the project, 404 for one of another organization', async () => {
    const group = await createGroup(server, admin)
    const body = { roles: [{ role: 'viewer' }] }
    assert.equal((await server.patch(`${PATH}/${group.id}`, body, { token })).status, 400)
    assert.equal((await server.delete(`${PATH}/${group.id}`, { token })).status, 400)
    assert.equal((await server.patch(`${PATH}/${foreign.id}`, body, { token })).status, 404)
    assert.equal((await server.delete(`${PATH}/${foreign.id}`, { token })).status, 404)
    assert.equal((await server.patch(`${PATH}/x`, body, { token })).status, 422)
    const nowhere = `/api/v1/projects/${UNKNOWN_ID}/memberships/groups/${group.id}`
    assert.equal((await server.patch(nowhere, body, { token })).status, 404)
  })

  test('against DELETE at the same time: done before it, or refused after it', async () => {
    for (let round = 0; round < 5; round++) {
      const group = await joined()
      const [patched, deleted] = await Promise.all([
        server.patch(`${PATH}/${group.id}`, { roles: [{ role: 'member' }] }, { token }),
        server.delete(`${PATH}/${group.id}`, { token }),
      ])
      assert.equal(deleted.status, 200)
      assert.ok(patched.status === 200 || patched.status === 400, patched.text)
      assert.equal((await server.get(`${PATH}/${group.id}`, { token })).status, 404)
    }
  })
})

describe('conditions on the name of a group', () => {
  test('hold for reading, changing and assigning', async () => {
    const name = fresh('ours')
    const mine = await createGroup(server, admin, { name })
    const theirs = await joined()
    const foreman = await createProjectMember(server, admin, project.id, {
      subject: 'groups',
      action: ['read', 'create', 'edit', 'delete', 'assign-role'],
      conditions: { groupName: name },
    })
    const as = { token: foreman.token }
    assert.equal((await server.post(`${PATH}/${mine.id}`, { role: 'viewer' }, as)).status, 200)
    assert.deepEqual(
      (await server.get(PATH, as)).body.groupMemberships.map(({ groupId }: { groupId: string }) => groupId),
      [mine.id],
    )
    for (const answer of [
      await server.get(`${PATH}/${theirs.id}`, as),
      await server.patch(`${PATH}/${theirs.id}`, { roles: [{ role: 'viewer' }] }, as),
      await server.delete(`${PATH}/${theirs.id}`, as),
      await server.delete(`${PATH}/${theirs.id}`.replace(theirs.id, theirs.id.toUpperCase()), as),
    ]) {
      assert.ok([403, 404].includes(answer.status))
    }
    assert.equal((await server.get(`${PATH}/${theirs.id}`, { token })).status, 200)
  })
})

describe('the other operations', () => {
  test('200 GET lists by name; 403 without the right', async () => {
    await joined()
    const { groupMemberships } = (await server.get(PATH, { token: viewer.token })).body
    const names = groupMemberships.map(({ group }: { group: { name: string } }) => group.name.toLowerCase())
    assert.deepEqual(names, names.toSorted())
    assert.equal((await server.get(PATH, { token: powerless.token })).status, 403)
    assert.equal((await server.get(`${PATH}/${UNKNOWN_ID}`, { token: powerless.token })).status, 403)
    assert.equal((await server.get(`${PATH}/${UNKNOWN_ID}`, { token })).status, 404)
  })

  test('200 DELETE answers with the membership; 403 without the right', async () => {
    const group = await joined()
    const { groupMembership } = (await server.get(`${PATH}/${group.id}`, { token })).body
    assert.equal((await server.delete(`${PATH}/${group.id}`, { token: viewer.token })).status, 403)
    const { id, createdAt, updatedAt } = groupMembership
    assert.deepEqual((await server.delete(`${PATH}/${group.id}`, { token: clerk.token })).body, {
      groupMembership: { id, projectId: project.id, createdAt, updatedAt, groupId: group.id },
    })
  })

  test('each change is recorded in the project', async () => {
    const group = await joined({ roles: [{ role: 'viewer' }, temporary('member')] })
    await server.patch(`${PATH}/${group.id}`, { roles: [{ role: 'member' }] }, { token })
    await server.delete(`${PATH}/${group.id}`, { token })
    const recorded = async (type: string) =>
      (await auditOf(beside.pool, project.id, type))
        .map((row) => row.eventMetadata)
        .find((m) => m['groupId'] === group.id)
    const common = { groupId: group.id, groupName: group.name }
    assert.deepEqual(await recorded('add-group-to-project'), {
      ...common,
      roles: [{ role: 'viewer', isTemporary: false }, temporary('member')],
    })
    assert.deepEqual(await recorded('update-group-project-membership'), {
      ...common,
      roles: [{ role: 'member', isTemporary: false }],
    })
    assert.deepEqual(await recorded('remove-group-from-project'), common)
  })
})
