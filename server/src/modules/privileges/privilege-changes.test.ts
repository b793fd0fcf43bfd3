import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  createMemberWithRules,
  LEGACY_PRIVILEGES,
  type PrivilegeBody,
  PRIVILEGES,
  startPrivilegeServer,
  UNKNOWN_ID,
} from '../../../test/test-privileges.ts'
import { auditOf, createOtherOrganization, createProject, joinProject } from '../../../test/test-projects.ts'
import type { Answer } from '../../../test/test-server.ts'

const { server, admin, token, db, project, target, viewer, editor, outsider } = await startPrivilegeServer()
const RULES = [{ subject: 'secrets', action: ['edit'], inverted: false, conditions: { environment: 'dev' } }]
const PERIOD = {
  isTemporary: true,
  temporaryMode: 'relative',
  temporaryRange: '1h',
  temporaryAccessStartTime: '2030-01-01T00:00:00.000Z',
}
const NO_PERIOD = {
  isTemporary: false,
  temporaryMode: null,
  temporaryRange: null,
  temporaryAccessStartTime: null,
  temporaryAccessEndTime: null,
}

let made = 0
const create = async (changes: object = {}, as = token): Promise<PrivilegeBody> => {
  const { status, body, text } = await server.post(
    PRIVILEGES,
    {
      identityId: target.identityId,
      projectId: project.id,
      slug: `privilege-${++made}`,
      permissions: RULES,
      ...changes,
    },
    { token: as },
  )
  assert.equal(status, 200, text)
  return body.privilege
}
const patch = (id: string, body: object, as = token) => server.patch(`${PRIVILEGES}/${id}`, body, { token: as })
const read = (id: string, as = token) => server.get(`${PRIVILEGES}/${id}`, { token: as })
const listOf = (identityId: string, as = token) =>
  server.get(PRIVILEGES, { token: as, query: { identityId, projectId: project.id } })

/** In another organization, and in a project of this one that only others are in: there is nothing to be seen of either. */
const elsewhere = await createOtherOrganization(server, admin)
const foreign = await createProject(server, elsewhere.token, { slug: 'foreign' })
const foreigner = await server
  .post('/api/v1/identities', { name: 'x', organizationId: elsewhere.organizationId }, { token: elsewhere.token })
  .then(({ body }) => body.identity.id as string)
await joinProject(db, foreign.id, { identityId: foreigner, role: 'no-access' })
const abroad = await create({ projectId: foreign.id, identityId: foreigner }, elsewhere.token)
const shown = await create({ slug: 'shown' })

describe(`GET ${PRIVILEGES}/{id}`, () => {
  test('200 by id and by slug, for whoever may see the identity', async () => {
    const query = { identityId: target.identityId, projectSlug: 'payments' }
    for (const as of [token, viewer.token, editor.token]) {
      for (const answer of [
        await read(shown.id, as),
        await read(shown.id.toUpperCase(), as),
        await server.get(`${PRIVILEGES}/slug/shown`, { token: as, query }),
      ]) {
        assert.deepEqual([answer.status, answer.body], [200, { privilege: shown }])
      }
    }
  })

  for (const [reason, id, as] of [
    ['there is none', UNKNOWN_ID, token],
    ['it is no id', 'abc', token],
    ['it is in another organization', abroad.id, token],
    ['it is in a project that the actor is not in', shown.id, outsider.token],
  ] as const) {
    test(`404 when ${reason}, whatever is asked of it`, async () => {
      for (const answer of [
        await read(id, as),
        await patch(id, {}, as),
        await server.delete(`${PRIVILEGES}/${id}`, { token: as }),
      ]) {
        assert.deepEqual([answer.status, answer.body.error], [404, 'NotFound'])
        assert.equal(answer.body.message, `Privilege with id '${id}' not found`)
      }
    })
  }

  test('404 by a slug that is not there or of someone else, 422 without saying whose', async () => {
    const bySlug = (slug: string, query: Record<string, string>) =>
      server.get(`${PRIVILEGES}/slug/${slug}`, { token, query })
    const query = { identityId: target.identityId, projectSlug: 'payments' }
    for (const [slug, changes] of [
      ['none', {}],
      ['shown', { identityId: viewer.identityId }],
      ['shown', { identityId: 'abc' }],
      ['shown', { projectSlug: 'foreign' }],
    ] as const) {
      assert.equal((await bySlug(slug, { ...query, ...changes })).status, 404)
    }
    assert.equal((await bySlug('shown', { projectSlug: 'payments' })).status, 422)
    assert.equal((await bySlug('shown', { ...query, identityId: '' })).status, 422)
  })

  test('401 without a token, 403 without the right to read the identity', async () => {
    assert.equal((await server.get(`${PRIVILEGES}/${shown.id}`)).status, 401)
    const answer = await read(shown.id, target.token)
    assert.deepEqual([answer.status, answer.body.error], [403, 'PermissionDenied'])
  })
})

describe(`GET ${PRIVILEGES}`, () => {
  test('200 lists the oldest first, without permissions, also what is over', async () => {
    const past = { ...PERIOD, temporaryAccessStartTime: '2020-01-01T00:00:00Z' }
    const privileges = [
      await create({ identityId: viewer.identityId }),
      await create({ identityId: viewer.identityId, type: past }),
      await create({ identityId: viewer.identityId }),
    ]
    const { status, body } = await listOf(viewer.identityId)
    assert.equal(status, 200)
    assert.deepEqual(
      body.privileges,
      privileges.map((privilege) =>
        Object.fromEntries(Object.entries(privilege).filter(([name]) => name !== 'permissions')),
      ),
    )
    await server.delete(`${PRIVILEGES}/${privileges[0]?.id}`, { token })
    assert.equal((await listOf(viewer.identityId)).body.privileges.length, 2)
  })

  test('200 is empty for whom there is nothing to list', async () => {
    for (const id of [outsider.identityId, UNKNOWN_ID, 'abc']) {
      assert.deepEqual((await listOf(id)).body, { privileges: [] })
    }
  })

  test('a right that is limited to one identity shows that one only', async () => {
    const limited = await createMemberWithRules(server, { admin, db, projectId: project.id }, [
      { subject: 'identity', action: ['read'], conditions: { identityId: { $eq: target.identityId } } },
    ])
    assert.equal((await listOf(target.identityId, limited.token)).status, 200)
    assert.equal((await read(shown.id, limited.token)).status, 200)
    assert.equal((await listOf(viewer.identityId, limited.token)).status, 403)
  })

  test('401, 403, 404 and 422 as everywhere', async () => {
    const statuses = async (query: Record<string, string>, as?: string) =>
      (await server.get(PRIVILEGES, { token: as, query })).status
    const query = { identityId: target.identityId, projectId: project.id }
    assert.equal(await statuses(query), 401)
    assert.equal(await statuses(query, target.token), 403)
    assert.equal(await statuses(query, outsider.token), 403)
    assert.equal(await statuses({ ...query, projectId: foreign.id }, token), 404)
    assert.equal(await statuses({ ...query, projectId: 'abc' }, token), 404)
    assert.equal(await statuses({ projectId: project.id }, token), 422)
    assert.equal(await statuses({ ...query, projectId: '' }, token), 422)
  })
})

describe(`PATCH ${PRIVILEGES}/{id}`, () => {
  const changed = async (id: string, body: object) => {
    const answer = await patch(id, body)
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual((await read(id)).body, answer.body)
    return answer.body.privilege as PrivilegeBody
  }

  test('200 changes what is named and nothing else', async () => {
    const before = await create({ type: PERIOD })
    const renamed = await changed(before.id, { slug: 'renamed', ID: before.id })
    assert.deepEqual({ ...renamed, slug: before.slug, updatedAt: before.updatedAt }, before)
    assert.notEqual(renamed.updatedAt, before.updatedAt)

    const permissions = [{ subject: 'role', action: ['read'], inverted: false }]
    const ruled = await changed(before.id, { permissions: [{ subject: 'role', action: 'read' }] })
    assert.deepEqual(ruled, { ...renamed, permissions, updatedAt: ruled.updatedAt })

    const moved = await changed(before.id, { type: { ...PERIOD, temporaryRange: '2h' } })
    const end = '2030-01-01T02:00:00.000Z'
    assert.deepEqual(moved, { ...ruled, temporaryRange: '2h', temporaryAccessEndTime: end, updatedAt: moved.updatedAt })
  })

  test('200 with {} changes nothing, and is not recorded', async () => {
    const before = await create({ type: PERIOD })
    assert.deepEqual(await changed(before.id, {}), before)
    const logs = await auditOf(db, project.id, 'update-identity-project-additional-privilege')
    assert.ok(!logs.some(({ eventMetadata }) => eventMetadata['privilegeId'] === before.id))
  })

  test('200 switches between permanent and temporary with every field', async () => {
    const before = await create()
    const temporary = await changed(before.id, { type: PERIOD })
    const end = '2030-01-01T01:00:00.000Z'
    assert.deepEqual(temporary, { ...before, ...PERIOD, temporaryAccessEndTime: end, updatedAt: temporary.updatedAt })
    const permanent = await changed(before.id, { type: { ...PERIOD, isTemporary: false } })
    assert.deepEqual(permanent, { ...before, ...NO_PERIOD, updatedAt: permanent.updatedAt })
  })

  test('400 for a slug that is taken; its own may stay', async () => {
    const { id, slug } = await create()
    const answer = await patch(id, { slug: 'shown' })
    assert.deepEqual([answer.status, answer.body.error], [400, 'BadRequest'])
    assert.equal((await patch(id, { slug })).status, 200)
  })

  test('403 for whoever may not grant what the privilege holds, also to prolong it', async () => {
    const delegate = await createMemberWithRules(server, { admin, db, projectId: project.id }, [
      { subject: 'identity', action: ['edit'] },
      { subject: 'identity', action: ['assign-additional-privileges'], conditions: { assignableSubject: 'tags' } },
    ])
    const { id } = await create()
    const tags = { permissions: [{ subject: 'tags', action: 'read' }] }
    for (const [as, body, error] of [
      [viewer.token, {}, 'PermissionDenied'],
      [editor.token, { slug: 'mine' }, 'PermissionBoundaryError'],
      [delegate.token, { type: PERIOD }, 'PermissionBoundaryError'],
      [delegate.token, { permissions: RULES }, 'PermissionBoundaryError'],
    ] as [string, object, string][]) {
      const answer = await patch(id, body, as)
      assert.deepEqual([answer.status, answer.body.error], [403, error])
    }
    assert.equal((await patch(id, tags, delegate.token)).status, 200)
    assert.equal((await patch(id, { type: PERIOD }, delegate.token)).status, 200)
  })

  for (const [status, body] of [
    [400, { permissions: [{ subject: 'secrets', action: ['read', 'readValue'] }] }],
    [422, { slug: '' }],
    [422, { slug: 'A' }],
    [422, { permissions: null }],
    [422, { permissions: [{ subject: 'nope', action: 'read' }] }],
    [422, { type: { isTemporary: true } }],
    [422, { type: { ...PERIOD, temporaryRange: '' } }],
    [422, { type: null }],
  ] as [number, object][]) {
    test(`${status} for ${JSON.stringify(body)}, and nothing changes`, async () => {
      assert.equal((await patch(shown.id, body)).status, status)
      assert.deepEqual((await read(shown.id)).body, { privilege: shown })
    })
  }

  test('is recorded', async () => {
    const { id } = await create()
    await patch(id, { slug: 'recorded' })
    const logs = await auditOf(db, project.id, 'update-identity-project-additional-privilege')
    assert.deepEqual([logs.at(-1)?.eventMetadata['privilegeId'], logs.at(-1)?.eventMetadata['slug']], [id, 'recorded'])
  })
})

describe(`DELETE ${PRIVILEGES}/{id}`, () => {
  const remove = (id: string, as?: string): Promise<Answer> => server.delete(`${PRIVILEGES}/${id}`, { token: as })

  test('200 answers what is gone, for whoever may edit the identity, and is recorded', async () => {
    const privilege = await create()
    const { status, body } = await remove(privilege.id, editor.token)
    assert.deepEqual([status, body], [200, { privilege }])
    assert.equal((await read(privilege.id)).status, 404)
    assert.equal((await remove(privilege.id, token)).status, 404)
    const logs = await auditOf(db, project.id, 'delete-identity-project-additional-privilege')
    assert.equal(logs.at(-1)?.eventMetadata['privilegeId'], privilege.id)
  })

  test('401 without a token, 403 for a viewer', async () => {
    assert.equal((await remove(shown.id)).status, 401)
    assert.equal((await remove(shown.id, viewer.token)).status, 403)
    assert.equal((await read(shown.id)).status, 200)
  })

  test('of two at the same time one finds nothing', async () => {
    const { id } = await create()
    const answers = await Promise.all([remove(id, token), remove(id, token)])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404])
  })

  test('in the older words it is gone here too', async () => {
    const { id, slug } = await create()
    const body = { privilegeSlug: slug, identityId: target.identityId, projectSlug: 'payments' }
    assert.equal((await server.delete(LEGACY_PRIVILEGES, { token, body })).body.privilege.id, id)
    assert.equal((await read(id)).status, 404)
  })
})
