import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startPkiServer } from '../../../../test/test-authorities.ts'
import { createProjectMember, fresh, UNKNOWN_ID } from '../../../../test/test-members.ts'
import { createMemberWithRules } from '../../../../test/test-privileges.ts'
import { auditOf, createIdentity, createProject } from '../../../../test/test-projects.ts'

const PATH = '/api/v1/pki/certificate-templates'
const { server, admin, project, db, authorities } = await startPkiServer()
const { token } = admin
const ca = await authorities.create()
const reader = await createProjectMember(server, admin, project.id, 'member')
const outsider = await createIdentity(server, admin)

const body = (wish: object = {}) => ({
  caId: ca.id,
  name: fresh('template'),
  commonName: '.*\\.example\\.com',
  subjectAlternativeName: '.*',
  ttl: '90d',
  ...wish,
})
const create = async (wish: object = {}) => (await server.post(PATH, body(wish), { token })).body

describe(`POST ${PATH}`, () => {
  test('200 makes a template with the usual key usages', async () => {
    const wish = body()
    const { status, body: template } = await server.post(PATH, wish, { token })
    assert.equal(status, 200)
    const { id, ...rest } = template
    assert.deepEqual(rest, {
      ...wish,
      pkiCollectionId: null,
      keyUsages: ['digitalSignature', 'keyEncipherment'],
      extendedKeyUsages: [],
      projectId: project.id,
      caName: ca.name,
    })
    assert.deepEqual((await server.get(`${PATH}/${id}`, { token })).body, template)
    assert.equal((await auditOf(db, project.id, 'create-certificate-template')).length, 1)
  })

  test('400 when the name is taken at that authority, or a pattern is not one', async () => {
    const { name } = await create()
    for (const wish of [{ name }, { commonName: '(' }, { subjectAlternativeName: '(a+)+$' }]) {
      const answer = await server.post(PATH, body(wish), { token })
      assert.deepEqual([answer.status, answer.body.error], [400, 'BadRequest'])
    }
  })

  test('404 for an unknown authority; 401, 403 and 422 as everywhere', async () => {
    assert.equal((await server.post(PATH, body({ caId: UNKNOWN_ID }), { token })).status, 404)
    assert.equal((await server.post(PATH, body())).status, 401)
    for (const as of [reader, outsider])
      assert.equal((await server.post(PATH, body(), { token: as.token })).status, 403)
    for (const wish of [
      { ttl: 'for ever' },
      { name: 'No Slug' },
      { keyUsages: ['digital_signature'] },
      { commonName: '' },
    ]) {
      assert.equal((await server.post(PATH, body(wish), { token })).status, 422)
    }
  })

  test('403 unless the rule names it', async () => {
    const rule = { subject: 'certificate-templates', action: ['create'], conditions: { name: { $glob: 'web-*' } } }
    const member = await createMemberWithRules(server, { admin, db, projectId: project.id }, [rule])
    const createAs = (name: string) => server.post(PATH, body({ name }), { token: member.token })
    assert.deepEqual([(await createAs('web-1')).status, (await createAs('db-1')).status], [200, 403])
  })
})

describe(`${PATH}/:certificateTemplateId`, () => {
  test('200 changes what is named and nothing else', async () => {
    const template = await create()
    const changes = { ttl: '30d', extendedKeyUsages: ['serverAuth'] }
    const answer = await server.patch(`${PATH}/${template.id}`, changes, { token })
    assert.deepEqual(answer.body, { ...template, ...changes })
    assert.deepEqual((await server.patch(`${PATH}/${template.id}`, {}, { token })).body, answer.body)
  })

  test('400 when the new name is taken or the authority is in another project', async () => {
    const [one, two] = [await create(), await create()]
    const second = await createProject(server, token, { type: 'cert-manager' })
    const elsewhere = await server.post(
      '/api/v1/cert-manager/ca/internal',
      { ...authorities.body(), projectId: second.id },
      { token },
    )
    for (const changes of [{ name: one.name }, { caId: elsewhere.body.id }]) {
      assert.equal((await server.patch(`${PATH}/${two.id}`, changes, { token })).status, 400)
    }
  })

  test('200 deletes; then, and for any other unknown id, 404', async () => {
    const template = await create()
    assert.equal((await server.delete(`${PATH}/${template.id}`, { token: reader.token })).status, 403)
    assert.deepEqual((await server.delete(`${PATH}/${template.id}`, { token })).body, template)
    for (const id of [template.id, UNKNOWN_ID, 'nonsense']) {
      for (const answer of [
        await server.get(`${PATH}/${id}`, { token }),
        await server.patch(`${PATH}/${id}`, {}, { token }),
        await server.delete(`${PATH}/${id}`, { token }),
      ]) {
        assert.deepEqual([answer.status, answer.body.error], [404, 'NotFound'])
      }
    }
  })
})
