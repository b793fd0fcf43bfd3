import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createIdentity, createOtherOrganization } from '../../../test/test-projects.ts'
import { startSecretServer, TestSecrets } from '../../../test/test-secrets.ts'

const UNKNOWN_ID = '11111111-1111-4111-8111-111111111111'

const { server, admin, token, db, secrets, projectId } = await startSecretServer()

describe('what is kept from someone by a tag', () => {
  test('is kept in what it was before it had the tag, and after a new name', async () => {
    const tag = await server.post(`/api/v1/projects/${projectId}/tags`, { slug: 'high', color: '' }, { token })
    await secrets.create('TAGGED', 'before the tag')
    await secrets.update('TAGGED', { tagIds: [tag.body.tag.id], secretValue: 'after the tag' })
    const reader = await secrets.tokenAllowing(
      db,
      { subject: 'secrets', action: ['describeSecret', 'readValue'] },
      { subject: 'commits', action: ['read'] },
      {
        subject: 'secrets',
        action: ['describeSecret', 'readValue'],
        inverted: true,
        conditions: { secretTags: { $in: ['high'] } },
      },
    )
    for (const query of [{}, { version: '1' }, { version: '2' }] as Record<string, string>[]) {
      const answer = await secrets.get('TAGGED', query, reader)
      assert.equal(answer.status, 403)
      assert.ok(!answer.text.includes('the tag'))
    }
    const { id } = (await secrets.get('TAGGED')).body.secret as { id: string }
    const page = { offset: '0', limit: '10' }
    const versions = await server.get(`/api/v1/secret/${id}/secret-versions`, { token: reader, query: page })
    assert.equal(versions.status, 200)
    assert.ok(!versions.text.includes('the tag') && !versions.text.includes('TAGGED'), versions.text)
    await secrets.create('OPEN', 'open')
    assert.equal((await secrets.get('OPEN', {}, reader)).status, 200)
  })
})

describe('an id', () => {
  test('of another organization, or of a person, answers like one that is none', async () => {
    const created = await secrets.create('BY-ID', 'v')
    const id = created.body.secret.id as string
    const elsewhere = await createOtherOrganization(server, admin)
    for (const path of [`/api/v4/secrets/id/`, `/api/v3/secrets/raw/id/`]) {
      const [foreign, none] = [
        await server.get(path + id, { token: elsewhere.token }),
        await server.get(path + UNKNOWN_ID, { token: elsewhere.token }),
      ]
      assert.deepEqual([foreign.status, none.status], [404, 404])
      assert.equal(foreign.text.replace(id, UNKNOWN_ID).replace(/req-\w+/, ''), none.text.replace(/req-\w+/, ''))
    }
    const page = { offset: '0', limit: '10' }
    const versions = await server.get(`/api/v1/secret/${id}/secret-versions`, { token: elsewhere.token, query: page })
    assert.equal(versions.status, 404)
    const rollback = await server.post(`/api/x/secrets/${id}/rollback`, { version: 1 }, { token: elsewhere.token })
    assert.equal(rollback.status, 404)
  })

  test('of the own organization tells a stranger to the project only that it is one', async () => {
    const created = await secrets.create('STRANGE', 'v')
    const stranger = await createIdentity(server, admin)
    const answer = await server.get(`/api/v4/secrets/id/${created.body.secret.id as string}`, stranger)
    assert.deepEqual([answer.status, answer.body.error], [403, 'ProjectMembershipNotFound'])
    assert.ok(!answer.text.includes('STRANGE'))
  })
})

describe('other projects', () => {
  test('give what may be read there, through references and imports, and nothing more', async () => {
    const other = await TestSecrets.open(server, admin)
    const { slug } = (await server.get(`/api/v1/projects/${other.projectId}`, { token })).body.project as {
      slug: string
    }
    await other.create('FAR', 'far ${FAR2}')
    await other.create('FAR2', 'second')
    await secrets.folder('use')
    const secretPath = '/use'
    await secrets.create('REF', `<\${@${slug}.dev.FAR}> \${@none-such.dev.X} \${@${slug}.dev.NONE}`, { secretPath })
    const where = { projectId, environment: 'dev', path: '/use' }
    const source = { environment: 'dev', path: '/', sourceProjectId: other.projectId }
    const made = await server.post('/api/v2/secret-imports', { ...where, import: source }, { token })
    assert.equal(made.status, 200, made.text)

    const { body } = await secrets.get('REF', { secretPath })
    assert.equal(body.secret.secretValue, `<far \${FAR2}> \${@none-such.dev.X} \${@${slug}.dev.NONE}`)
    assert.equal((await secrets.get('FAR', { secretPath })).body.secret.secretValue, 'far second')
    const listed = await server.get('/api/v2/secret-imports', { token, query: where })
    assert.equal(listed.body.secretImports[0].importEnv.projectId, other.projectId)
    const raw = await server.get('/api/v2/secret-imports/secrets/raw', { token, query: where })
    assert.deepEqual(
      [raw.status, raw.body.secrets[0].environmentInfo.slug, raw.body.secrets[0].secrets.length],
      [200, 'dev', 2],
    )

    const stranger = await secrets.tokenAllowing(
      db,
      { subject: 'secrets', action: ['describeSecret', 'readValue', 'create'] },
      { subject: 'secret-imports', action: ['create', 'read'] },
    )
    assert.equal((await secrets.get('REF', { secretPath }, stranger)).status, 403)
    assert.equal((await secrets.get('FAR', { secretPath }, stranger)).status, 404)
    assert.deepEqual((await secrets.list({ secretPath, expandSecretReferences: 'false' }, stranger)).body.imports, [])
    assert.equal((await secrets.create('SPY', `\${@${slug}.dev.FAR}`, { secretPath }, stranger)).status, 403)
    const spying = { ...where, path: '/', import: source }
    assert.equal((await server.post('/api/v2/secret-imports', spying, { token: stranger })).status, 403)
  })
})
