import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { openBeside } from '../../../test/test-database.ts'
import { UNKNOWN_ID } from '../../../test/test-members.ts'
import { logIn } from '../../../test/test-people.ts'
import {
  auditOf,
  createIdentity,
  createMember,
  createOtherOrganization,
  createProject,
  type ProjectBody,
} from '../../../test/test-projects.ts'
import { type Answer, startServerOn, startTestServer } from '../../../test/test-server.ts'

const PATH = '/api/v1/projects'

const server = await startTestServer()
const admin = await server.bootstrap()
const { token } = admin
const beside = openBeside(server.url)
const db = beside.pool

const project = await createProject(server, token, { slug: 'payments' })
const elsewhere = await createOtherOrganization(server, admin)
const foreign = await createProject(server, elsewhere.token, { slug: 'foreign' })
const viewer = await createMember(server, admin, { db, projectId: project.id, role: 'viewer' })
const powerless = await createMember(server, admin, { db, projectId: project.id, role: 'no-access' })
const stranger = await createIdentity(server, admin)
const person = await logIn(server, admin)

describe('reading a project', () => {
  const { deletedEnvironments, ...common } = project

  for (const [name, path, expected] of [
    ['by slug', `${PATH}/slug/payments`, project],
    ['by id', `${PATH}/${project.id}`, { project }],
    ['by id, in the older words', `/api/v1/workspace/${project.id}`, { workspace: common }],
  ] as const) {
    test(`200 ${name}, for every member whatever its role`, async () => {
      for (const actor of [admin, viewer, powerless]) {
        const { status, body } = await server.get(path, { token: actor.token })
        assert.equal(status, 200)
        assert.deepEqual(body, expected)
      }
    })
  }

  test('200 by slug, in the older words: with the key, without the deleted environments', async () => {
    const { status, body } = await server.get('/api/v2/workspace/payments', { token })
    assert.equal(status, 200)
    const { kmsSecretManagerKeyId, ...rest } = body
    assert.match(kmsSecretManagerKeyId, /^[0-9a-f-]{36}$/)
    assert.deepEqual(rest, common)
    assert.deepEqual(deletedEnvironments, [])
  })

  test('the members come in the order of the wire, warm and cold', async () => {
    const texts = [
      await server.get(`${PATH}/slug/payments`, { token }),
      await server.get(`${PATH}/slug/payments`, { token }),
    ]
    for (const { text, headers } of texts) {
      assert.equal(
        Object.keys(JSON.parse(text) as object).join(),
        'id,name,description,type,defaultProduct,slug,autoCapitalization,orgId,createdAt,updatedAt,version,upgradeStatus,' +
          'pitVersionLimit,kmsCertificateKeyId,auditLogsRetentionDays,hasDeleteProtection,secretSharing,showSnapshotsLegacy,' +
          'secretDetectionIgnoreValues,enforceEncryptedSecretManagerSecretMetadata,_id,environments,deletedEnvironments',
      )
      assert.equal(headers['content-type'], 'application/json; charset=utf-8')
      assert.equal(headers['etag'], texts[0]?.headers['etag'])
    }
  })

  test('304 when the client holds it already', async () => {
    const { headers } = await server.get(`${PATH}/slug/payments`, { token })
    const again = await server.get(`${PATH}/slug/payments`, {
      token,
      headers: { 'if-none-match': String(headers['etag']) },
    })
    assert.deepEqual([again.status, again.text], [304, ''])
  })

  test('what is warm needs no database', async () => {
    const read = () => server.get(`${PATH}/slug/payments`, { token: viewer.token })
    const cold = await read()
    await beside.transaction(async (tx) => {
      await sql`lock table projects, environments, project_memberships, keys in access exclusive mode`.execute(tx)
      assert.deepEqual((await read()).body, cold.body)
    })
  })

  const paths = ({ id, slug }: { id: string; slug: string }) => [
    `${PATH}/slug/${slug}`,
    `${PATH}/${id}`,
    `/api/v1/workspace/${id}`,
    `/api/v2/workspace/${slug}`,
  ]

  test('401 without a token, 403 in the own organization without membership', async () => {
    for (const path of paths(project)) {
      assert.equal((await server.get(path)).status, 401)
      for (const outsider of [stranger.token, person]) {
        const answer = await server.get(path, { token: outsider })
        assert.deepEqual([answer.status, answer.body.error], [403, 'ProjectMembershipNotFound'])
      }
    }
  })

  test('404 for what another organization has, exactly as for what does not exist', async () => {
    const unknown = { id: UNKNOWN_ID, slug: 'no-such-slug' }
    for (const [index, path] of paths(foreign).entries()) {
      const missingPath = paths(unknown)[index] ?? ''
      const hidden = await server.get(path, { token })
      const missing = await server.get(missingPath, { token })
      assert.deepEqual([hidden.status, hidden.body.error], [404, 'NotFound'])
      const said = (answer: Answer) => String(answer.body.message).replace(/'.*'/, '…')
      assert.equal(said(hidden), said(missing))
      assert.deepEqual(Object.keys(hidden.body), Object.keys(missing.body))
    }
  })

  for (const [status, slug] of [
    [404, 'a'],
    [404, 'a'.repeat(64)],
    [404, 'with_underscore'],
    [404, project.id],
    [422, 'a'.repeat(65)],
    [422, 'Bad_Slug'],
    [422, '%20'],
    [422, 'a%00b'],
    [422, 'a--b'],
    [422, '%2e%2e%2f'],
  ] as const) {
    test(`${status} for the slug '${slug}'`, async () => {
      for (const path of [`${PATH}/slug/${slug}`, `/api/v2/workspace/${slug}`]) {
        const answer = await server.get(path, { token })
        assert.equal(answer.status, status)
        if (status === 422) assert.deepEqual(answer.body.message[0].path, ['slug'])
        if (status === 422) assert.equal(answer.body.message.length, 1)
      }
    })
  }

  test('404 for ids that are none', async () => {
    for (const id of ['x', '{11111111-1111-4111-8111-111111111111}', '%2e%2e', project.id.toUpperCase().slice(1)]) {
      assert.equal((await server.get(`${PATH}/${id}`, { token })).status, 404)
      assert.equal((await server.get(`/api/v1/workspace/${id}`, { token })).status, 404)
    }
  })
})

describe('listing projects', () => {
  test('200 shows those that one is in, by name, and nothing of other organizations', async () => {
    const machine = await createIdentity(server, admin)
    for (const name of ['Zebra', 'Ant', 'Mole']) await createProject(server, machine.token, { projectName: name })
    const { status, body } = await server.get(PATH, { token: machine.token })
    assert.equal(status, 200)
    assert.deepEqual(
      projectsIn(body).map(({ name }) => name),
      ['Ant', 'Mole', 'Zebra'],
    )
    assert.deepEqual(Object.keys(body.projects[0]), Object.keys(project))
    assert.equal(body.projects[0].environments.length, 3)

    const older = await server.get('/api/v1/workspace', { token: machine.token })
    assert.equal(older.body.workspaces.length, 3)
    assert.equal('deletedEnvironments' in older.body.workspaces[0], false)
    assert.equal(older.body.workspaces[0]._id, older.body.workspaces[0].id)
    assert.deepEqual((await server.get(PATH, { token: stranger.token })).body, { projects: [] })
  })

  test('200 with a type shows only that; an empty one and `all` stand for none', async () => {
    const machine = await createIdentity(server, admin)
    await createProject(server, machine.token, { type: 'kms' })
    await createProject(server, machine.token)
    for (const [type, count] of [
      ['kms', 1],
      ['secret-manager', 1],
      ['pam', 0],
      ['', 2],
      ['all', 2],
    ] as const) {
      const { body } = await server.get('/api/v1/workspace', { token: machine.token, query: { type } })
      assert.equal(body.workspaces.length, count, type)
    }
    assert.equal((await server.get(PATH, { token, query: { type: 'wiki' } })).status, 422)
  })

  test('200 with the roles, for those who may invite; 403 for others', async () => {
    const { status, body } = await server.get(PATH, { token, query: { includeRoles: 'true' } })
    assert.equal(status, 200)
    assert.deepEqual(
      (body.projects[0].roles as { slug: string }[]).map(({ slug }) => slug),
      ['admin', 'member', 'cryptographic-operator', 'viewer', 'no-access'],
    )
    const refused = await server.get(PATH, { token: viewer.token, query: { includeRoles: 'true' } })
    assert.deepEqual([refused.status, refused.body.error], [403, 'PermissionDenied'])
  })

  test('200 for the organization, in the older words; 403 for another one', async () => {
    const path = `/api/v2/organizations/${admin.organizationId}/workspaces`
    const { status, body } = await server.get(path, { token: viewer.token })
    assert.equal(status, 200)
    assert.deepEqual(body, {
      workspaces: [
        {
          id: project.id,
          name: 'Payments',
          slug: 'payments',
          organization: admin.organizationId,
          environments: project.environments.map(({ name, slug }) => ({ name, slug })),
        },
      ],
    })
    for (const other of [elsewhere.organizationId, 'x']) {
      assert.equal((await server.get(`/api/v2/organizations/${other}/workspaces`, { token })).status, 403)
    }
  })

  test('200 searches the whole organization and says what one is in each', async () => {
    const search = { name: 'payments', projectIds: [project.id, foreign.id, 'x'] }
    for (const [actor, isMember] of [
      [viewer, true],
      [stranger, false],
    ] as const) {
      const { status, body } = await server.post(`${PATH}/search`, search, { token: actor.token })
      assert.equal(status, 200)
      assert.equal(body.totalCount, 1)
      assert.deepEqual(
        projectsIn(body).map((found) => [found.id, found['isMember'], found['isDirectMember']]),
        [[project.id, isMember, isMember]],
      )
    }
    const ignored = { secretDetectionIgnoreValues: ['not a secret'] }
    const { id } = await createProject(server, token, { projectName: 'Ignoring' })
    await server.patch(`${PATH}/${id}`, ignored, { token })
    for (const [as, shown] of [
      [token, ['not a secret']],
      [stranger.token, []],
    ] as const) {
      const { body } = await server.post(`${PATH}/search`, { name: 'Ignoring' }, { token: as })
      assert.deepEqual(body.projects[0].secretDetectionIgnoreValues, shown)
    }
    const page = await server.post(`${PATH}/search`, { limit: 1, offset: 1, orderDirection: 'desc' }, { token })
    assert.equal(page.body.projects.length, 1)
    assert.ok(page.body.totalCount > 3)
    for (const wrong of [{ limit: 0 }, { offset: -1 }, { name: '%_' }, { orderBy: 'slug' }, { type: 'wiki' }]) {
      assert.equal((await server.post(`${PATH}/search`, wrong, { token })).status, 422)
    }
  })
})

describe('changing a project', () => {
  test('200 changes what it names and nothing else, and everyone sees it at once', async () => {
    const created = await createProject(server, token)
    const other = await startServerOn(server.url)
    try {
      const path = `${PATH}/slug/${created.slug}`
      for (const process of [server, other]) assert.equal((await process.get(path, { token })).status, 200)

      const changes = {
        name: 'New name',
        description: 'new',
        autoCapitalization: true,
        secretSharing: false,
        showSnapshotsLegacy: true,
        pitVersionLimit: 20,
        enforceEncryptedSecretManagerSecretMetadata: true,
        secretDetectionIgnoreValues: ['dummy-value'],
        hasDeleteProtection: true,
      }
      const forbidden = { orgId: elsewhere.organizationId, id: UNKNOWN_ID, createdAt: '2020-01-01T00:00:00.000Z' }
      const { status, body } = await server.patch(`${PATH}/${created.id}`, { ...changes, ...forbidden }, { token })
      assert.equal(status, 200)
      const { updatedAt } = body.project as ProjectBody
      assert.ok(String(updatedAt) > String(created['updatedAt']))
      const shown = { ...created, ...changes, updatedAt }
      assert.deepEqual({ ...shown, ...body.project }, shown)
      assert.deepEqual(
        ['_id', 'environments', 'deletedEnvironments'].filter((name) => name in body.project),
        [],
      )
      assert.deepEqual((await server.get(path, { token })).body, shown)
      await eventually(async () => assert.deepEqual((await other.get(path, { token })).body, shown))
    } finally {
      await other.stop()
    }
    const [recorded] = await auditOf(db, created.id, 'update-project')
    assert.equal(recorded?.eventMetadata['name'], 'New name')
    assert.equal(JSON.stringify(recorded).includes('dummy-value'), false)
  })

  test('200 with an empty body changes nothing', async () => {
    const { status, body } = await server.patch(`${PATH}/${project.id}`, {}, { token })
    assert.equal(status, 200)
    assert.equal(body.project.updatedAt, project['updatedAt'])
    assert.deepEqual(await auditOf(db, project.id, 'update-project'), [])
  })

  test('200 with another slug: it is found there and no longer here; 400 when that is taken', async () => {
    const created = await createProject(server, token, { slug: 'old-slug' })
    assert.equal((await server.get(`${PATH}/slug/old-slug`, { token })).status, 200)
    const taken = await server.patch(`${PATH}/${created.id}`, { slug: 'payments', name: 'x' }, { token })
    assert.deepEqual([taken.status, taken.body.error], [400, 'BadRequest'])
    assert.equal((await server.patch(`${PATH}/${created.id}`, { slug: 'new_slug' }, { token })).status, 200)
    assert.equal((await server.get(`${PATH}/slug/old-slug`, { token })).status, 404)
    const found = await server.get(`${PATH}/slug/new_slug`, { token })
    assert.deepEqual([found.status, found.body.name], [200, 'Payments'])
  })

  test('200 in the older words, by id and by slug', async () => {
    const created = await createProject(server, token)
    const byId = await server.patch(
      `/api/v1/workspace/${created.id}`,
      { defaultProduct: 'kms', pitVersionLimit: 50 },
      { token },
    )
    assert.equal(byId.status, 200)
    assert.deepEqual([byId.body.workspace.defaultProduct, byId.body.workspace.pitVersionLimit], ['kms', 10])
    const bySlug = await server.patch(
      `/api/v2/workspace/${created.slug}`,
      { description: null, slug: 'ignored' },
      { token },
    )
    assert.equal(bySlug.status, 200)
    assert.deepEqual([bySlug.body.slug, bySlug.body.description], [created.slug, null])
  })

  test('200 sets how long audit logs are kept, by id and by slug', async () => {
    const { id, slug } = await createProject(server, token)
    const byId = await server.put(`${PATH}/${id}/audit-logs-retention`, { auditLogsRetentionDays: 7 }, { token })
    assert.deepEqual([byId.status, byId.body.project.auditLogsRetentionDays], [200, 7])
    const path = `/api/v1/workspace/${slug}/audit-logs-retention`
    const bySlug = await server.put(path, { auditLogsRetentionDays: 0 }, { token })
    assert.deepEqual([bySlug.status, bySlug.body.workspace.auditLogsRetentionDays], [200, 0])
    for (const days of [-1, 1.5, '7', 1e12]) {
      assert.equal((await server.put(path, { auditLogsRetentionDays: days }, { token })).status, 422)
    }
  })

  for (const [field, value] of [
    ['name', 'x'.repeat(65)],
    ['description', 'x'.repeat(1025)],
    ['slug', 'Upper'],
    ['slug', ''],
    ['pitVersionLimit', 0],
    ['pitVersionLimit', 101],
    ['pitVersionLimit', 1.5],
    ['autoCapitalization', 'yes'],
  ] as const) {
    test(`422 when ${field} is ${JSON.stringify(value).slice(0, 20)}`, async () => {
      const answer = await server.patch(`${PATH}/${project.id}`, { [field]: value }, { token })
      assert.deepEqual([answer.status, answer.body.message[0].path], [422, [field]])
    })
  }

  test('403 without the right, 403 for values that detection ignores without being administrator', async () => {
    for (const actor of [viewer, stranger]) {
      const answer = await server.patch(`${PATH}/${project.id}`, { name: 'x' }, { token: actor.token })
      assert.deepEqual(
        [answer.status, answer.body.error],
        [403, actor === viewer ? 'PermissionDenied' : 'ProjectMembershipNotFound'],
      )
    }
    const member = await createMember(server, admin, { db, projectId: project.id, role: 'member' })
    const answer = await server.patch(
      `${PATH}/${project.id}`,
      { secretDetectionIgnoreValues: ['x'] },
      { token: member.token },
    )
    assert.deepEqual([answer.status, answer.body.error], [403, 'ForbiddenError'])
    assert.equal((await server.patch(`${PATH}/${foreign.id}`, { name: 'x' }, { token })).status, 404)
  })
})

const projectsIn = (body: unknown) => (body as { projects: ProjectBody[] }).projects

const eventually = async (check: () => Promise<void>): Promise<void> => {
  const deadline = Date.now() + 2_000
  for (;;) {
    try {
      await check()
      return
    } catch (error) {
      if (Date.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}
