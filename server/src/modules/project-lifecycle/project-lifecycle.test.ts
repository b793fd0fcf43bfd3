import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { openBeside } from '../../../test/test-database.ts'
import { logIn } from '../../../test/test-people.ts'
import {
  auditOf,
  createIdentity,
  createMember,
  createOtherOrganization,
  createProject,
  type ProjectBody,
} from '../../../test/test-projects.ts'
import { startTestServer } from '../../../test/test-server.ts'

const PATH = '/api/v1/projects'
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const server = await startTestServer()
const admin = await server.bootstrap()
const { token } = admin
const beside = openBeside(server.url)
const db = beside.pool

describe(`POST ${PATH}`, () => {
  test('200 makes a project with three environments, in the shape that clients know', async () => {
    const { status, body } = await server.post(PATH, { projectName: ' Bench Main ' }, { token })
    assert.equal(status, 200)
    const { id, slug, environments, createdAt, updatedAt, ...rest } = body.project as ProjectBody
    assert.match(id, UUID)
    assert.match(slug, /^bench-main-[a-z0-9]{4}$/)
    assert.match(String(createdAt), /^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/)
    assert.equal(createdAt, updatedAt)
    assert.deepEqual(
      environments.map((environment) => [environment.name, environment.slug]),
      [
        ['Development', 'dev'],
        ['Staging', 'staging'],
        ['Production', 'prod'],
      ],
    )
    assert.deepEqual(rest, {
      name: 'Bench Main',
      description: null,
      type: 'secret-manager',
      defaultProduct: null,
      autoCapitalization: false,
      orgId: admin.organizationId,
      version: 3,
      upgradeStatus: null,
      pitVersionLimit: 10,
      kmsCertificateKeyId: null,
      auditLogsRetentionDays: null,
      hasDeleteProtection: false,
      secretSharing: true,
      showSnapshotsLegacy: false,
      secretDetectionIgnoreValues: null,
      enforceEncryptedSecretManagerSecretMetadata: null,
      _id: id,
      deletedEnvironments: [],
    })
  })

  test('200 takes what it is given, and nothing that only the server decides', async () => {
    const wish = {
      projectName: 'Second',
      projectDescription: 'the second one',
      slug: 'second-one',
      type: 'cert-manager',
      template: 'default',
      shouldCreateDefaultEnvs: false,
      hasDeleteProtection: true,
      organizationSlug: '',
      kmsKeyId: '',
      id: '11111111-1111-4111-8111-111111111111',
      orgId: '11111111-1111-4111-8111-111111111111',
      version: 1,
    }
    const { status, body } = await server.post(PATH, wish, { token })
    assert.equal(status, 200)
    const { slug, description, type, environments, hasDeleteProtection, orgId, version, id } = body.project
    assert.deepEqual([slug, description, type, environments], ['second-one', 'the second one', 'cert-manager', []])
    assert.deepEqual([hasDeleteProtection, orgId, version], [true, admin.organizationId, 3])
    assert.notEqual(id, wish.id)
  })

  test('200 makes whoever asked the administrator of the project: a machine identity or a person', async () => {
    const machine = await createIdentity(server, admin)
    const person = await logIn(server, admin)
    for (const creator of [machine.token, person]) {
      const project = await createProject(server, creator)
      const renamed = await server.patch(`${PATH}/${project.id}`, { name: 'Renamed' }, { token: creator })
      assert.deepEqual([renamed.status, renamed.body.project.name], [200, 'Renamed'])
      const stranger = await server.get(`${PATH}/${project.id}`, { token })
      assert.deepEqual([stranger.status, stranger.body.error], [403, 'ProjectMembershipNotFound'])
    }
  })

  test('200 leaves a data key, an audit row and no half-made project', async () => {
    const project = await createProject(server, token, { projectName: 'Audited', slug: 'audited' })
    const { rows } = await sql`select from keys where purpose = 'project-data' and owner_id = ${project.id}`.execute(db)
    assert.equal(rows.length, 1)
    const [recorded] = await auditOf(db, project.id, 'create-project')
    assert.ok(recorded)
    assert.deepEqual([recorded.eventMetadata['name'], recorded.eventMetadata['slug']], ['Audited', 'audited'])
  })

  for (const [status, error, reason, body] of [
    [400, 'BadRequest', 'the slug is taken', { projectName: 'x', slug: 'second-one' }],
    [404, 'NotFound', 'there is no such template', { projectName: 'x', template: 'none' }],
    [404, 'NotFound', 'there is no such key', { projectName: 'x', kmsKeyId: '11111111-1111-4111-8111-111111111111' }],
    [422, 'ValidationFailure', 'there is no name', {}],
    [422, 'ValidationFailure', 'the name is too long', { projectName: 'x'.repeat(65) }],
    [
      422,
      'ValidationFailure',
      'the description is too long',
      { projectName: 'x', projectDescription: 'x'.repeat(1025) },
    ],
    [422, 'ValidationFailure', 'the slug is too short', { projectName: 'x', slug: 'abcd' }],
    [422, 'ValidationFailure', 'the slug is too long', { projectName: 'x', slug: 'a'.repeat(65) }],
    [422, 'ValidationFailure', 'the slug is none', { projectName: 'x', slug: 'Not-a_slug' }],
    [422, 'ValidationFailure', 'the type is unknown', { projectName: 'x', type: 'wiki' }],
  ] as const) {
    test(`${status} when ${reason}`, async () => {
      const answer = await server.post(PATH, body, { token })
      assert.deepEqual([answer.status, answer.body.error], [status, error], answer.text)
    })
  }

  test('401 without a token, 403 without the right to create projects', async () => {
    assert.equal((await server.post(PATH, { projectName: 'x' })).status, 401)
    const { token: outsider } = await createIdentity(server, admin, { role: 'no-access' })
    const answer = await server.post(PATH, { projectName: 'x' }, { token: outsider })
    assert.deepEqual([answer.status, answer.body.error], [403, 'PermissionDenied'])
  })

  test('of many with one slug at the same time one wins, and the others leave nothing', async () => {
    const wish = { projectName: 'Race', slug: 'one-winner' }
    const answers = await Promise.all(Array.from({ length: 8 }, () => server.post(PATH, wish, { token })))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400, 400, 400, 400, 400, 400])
    const { rows } = await sql<{ orphans: number }>`select count(*)::int as orphans from keys
      where purpose = 'project-data' and owner_id not in (select id from projects)`.execute(db)
    assert.equal(rows[0]?.orphans, 0)
  })

  test('of many without a slug at the same time each gets its own', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => createProject(server, token)))
    assert.equal(new Set(answers.map(({ slug }) => slug)).size, 8)
  })

  test('the same slug may be used in another organization', async () => {
    const elsewhere = await createOtherOrganization(server, admin)
    const project = await createProject(server, elsewhere.token, { slug: 'second-one' })
    assert.equal(project['orgId'], elsewhere.organizationId)
  })
})

describe('POST /api/v2/workspace', () => {
  test('200 shows the data key instead of the deleted environments', async () => {
    const { status, body } = await server.post('/api/v2/workspace', { projectName: 'Legacy' }, { token })
    assert.equal(status, 200)
    assert.match(body.project.kmsSecretManagerKeyId, UUID)
    assert.equal('deletedEnvironments' in body.project, false)
    assert.equal(body.project._id, body.project.id)
  })
})

describe('deleting a project', () => {
  for (const [name, path, unwrap] of [
    ['by id', ({ id }: Named) => `${PATH}/${id}`, 'project'],
    ['by id, in the older words', ({ id }: Named) => `/api/v1/workspace/${id}`, 'workspace'],
    ['by slug', ({ slug }: Named) => `/api/v2/workspace/${slug}`, undefined],
  ] as const) {
    test(`200 ${name}: it is gone with everything in it, and its slug is free`, async () => {
      const project = await createProject(server, token, { slug: 'short-lived' })
      const viewer = await createMember(server, admin, { db, projectId: project.id, role: 'viewer' })
      const slugPath = `${PATH}/slug/short-lived`
      assert.equal((await server.get(slugPath, { token: viewer.token })).status, 200)

      const { status, body } = await server.delete(path(project), { token })
      assert.equal(status, 200)
      const shown = unwrap ? body[unwrap] : body
      assert.deepEqual([shown.id, shown.slug, '_id' in shown], [project.id, 'short-lived', false])

      assert.equal((await server.get(slugPath, { token: viewer.token })).status, 404)
      assert.equal((await server.get(`${PATH}/${project.id}`, { token })).status, 404)
      assert.equal((await server.delete(`${PATH}/${project.id}`, { token })).status, 404)
      const { rows } = await sql`select from environments where project_id = ${project.id}
        union all select from project_memberships where project_id = ${project.id}
        union all select from keys where owner_id = ${project.id}`.execute(db)
      assert.equal(rows.length, 0)
      assert.equal((await auditOf(db, project.id, 'delete-project')).length, 1)
    })
  }

  test('of two at the same time one deletes; what others do meanwhile is done before or finds nothing', async () => {
    const { id, environments } = await createProject(server, token)
    const [first] = environments
    const answers = await Promise.all([
      server.delete(`${PATH}/${id}`, { token }),
      server.post(`${PATH}/${id}/environments`, { name: 'x', slug: 'x' }, { token }),
      server.delete(`${PATH}/${id}`, { token }),
      server.patch(`${PATH}/${id}`, { name: 'x' }, { token }),
      server.patch(`${PATH}/${id}/environments/${first?.id ?? ''}`, { position: 2 }, { token }),
    ])
    for (const { status } of answers) assert.ok(status === 200 || status === 404, String(status))
    const deletions = [answers[0], answers[2]].map(({ status }) => status)
    assert.deepEqual(deletions.sort(), [200, 404])
    assert.equal((await auditOf(db, id, 'delete-project')).length, 1)
  })

  test('403 while it is protected', async () => {
    const { id } = await createProject(server, token, { hasDeleteProtection: true })
    const refused = await server.delete(`${PATH}/${id}`, { token })
    assert.deepEqual([refused.status, refused.body.error], [403, 'ForbiddenError'])
    await server.patch(`${PATH}/${id}`, { hasDeleteProtection: false }, { token })
    assert.equal((await server.delete(`${PATH}/${id}`, { token })).status, 200)
  })

  test('403 for a member that may not, 403 for someone else, 404 from another organization', async () => {
    const { id, slug } = await createProject(server, token)
    const member = await createMember(server, admin, { db, projectId: id, role: 'member' })
    const stranger = await createIdentity(server, admin)
    const elsewhere = await createOtherOrganization(server, admin)
    for (const [actor, status, error] of [
      [member, 403, 'PermissionDenied'],
      [stranger, 403, 'ProjectMembershipNotFound'],
      [elsewhere, 404, 'NotFound'],
    ] as const) {
      for (const path of [`${PATH}/${id}`, `/api/v1/workspace/${id}`, `/api/v2/workspace/${slug}`]) {
        const answer = await server.delete(path, { token: actor.token })
        assert.deepEqual([answer.status, answer.body.error], [status, error], path)
      }
    }
    for (const unknown of [
      'not-an-id',
      '11111111-1111-4111-8111-111111111111',
      '00000000-0000-0000-0000-000000000000',
    ]) {
      assert.equal((await server.delete(`${PATH}/${unknown}`, { token })).status, 404)
    }
  })
})

type Named = { id: string; slug: string }
