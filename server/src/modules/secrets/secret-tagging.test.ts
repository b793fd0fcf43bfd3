import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startSecretServer } from '../../../test/test-secrets.ts'

const { server, token, db, secrets, projectId } = await startSecretServer()
const PATH = '/api/v3/secrets/tags'
const where = { workspaceId: projectId, environment: 'dev' }

const tag = (slug: string) => server.post(`/api/v1/projects/${projectId}/tags`, { slug, color: '' }, { token })
const slugs = (body: { secret: { tags: { slug: string }[] } }) => body.secret.tags.map(({ slug }) => slug).sort()

describe('tags of a secret', () => {
  test('are attached to those it has, and detached', async () => {
    for (const slug of ['a', 'b', 'c']) await tag(slug)
    await secrets.create('KEY', 'v')
    const one = await server.post(`${PATH}/KEY`, { ...where, tagSlugs: ['a', 'b'] }, { token })
    assert.deepEqual([one.status, slugs(one.body)], [200, ['a', 'b']], one.text)
    const two = await server.post(`${PATH}/KEY`, { ...where, tagSlugs: ['b', 'c'] }, { token })
    assert.deepEqual([slugs(two.body), two.body.secret.version], [['a', 'b', 'c'], 3])
    const gone = await server.delete(`${PATH}/KEY`, { body: { ...where, tagSlugs: ['a', 'c'] }, token })
    assert.deepEqual([gone.status, slugs(gone.body)], [200, ['b']])
    assert.equal((await secrets.get('KEY')).body.secret.secretValue, 'v')
  })

  test('404 for what is not there, 403 without the right, 422 for none', async () => {
    assert.equal((await server.post(`${PATH}/KEY`, { ...where, tagSlugs: ['none'] }, { token })).status, 404)
    assert.equal((await server.post(`${PATH}/NONE`, { ...where, tagSlugs: ['a'] }, { token })).status, 404)
    assert.equal((await server.post(`${PATH}/KEY`, { ...where, tagSlugs: [] }, { token })).status, 422)
    const reader = await secrets.tokenAllowing(db, { subject: 'secrets', action: ['read'] })
    assert.equal((await server.post(`${PATH}/KEY`, { ...where, tagSlugs: ['a'] }, { token: reader })).status, 403)
  })
})
