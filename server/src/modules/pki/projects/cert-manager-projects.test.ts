import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CA } from '../../../../test/test-authorities.ts'
import { UNKNOWN_ID } from '../../../../test/test-members.ts'
import { createIdentity, createOtherOrganization, createProject } from '../../../../test/test-projects.ts'
import { startTestServer } from '../../../../test/test-server.ts'

const INSTANCE = '/api/v1/cert-manager/instance'
const server = await startTestServer()
const admin = await server.bootstrap()
const { token } = admin
const other = await createOtherOrganization(server, admin)
const choose = (projectId: string, as = token) =>
  server.post(`${INSTANCE}/active-project`, { projectId }, { token: as })

describe('the project that a request about certificates is for', () => {
  test('400 while the organization has none', async () => {
    const overview = await server.get(INSTANCE, { token })
    assert.deepEqual(overview.body, { activeProjectId: null, projects: [], isMultiInstance: false })
    const answer = await server.get(CA, { token })
    assert.deepEqual([answer.status, answer.body.error], [400, 'BadRequest'])
  })

  test('is the only one, then the named or the chosen one', async () => {
    const first = await createProject(server, token, { type: 'cert-manager', projectName: 'First' })
    const only = await server.get(INSTANCE, { token })
    assert.deepEqual([only.body.activeProjectId, only.body.isMultiInstance], [first.id, false])
    assert.deepEqual(Object.keys(only.body.projects[0]), ['id', 'name', 'slug', 'createdAt'])
    assert.equal((await server.get(CA, { token })).status, 200)

    const second = await createProject(server, token, { type: 'cert-manager', projectName: 'Second' })
    const both = await server.get(INSTANCE, { token })
    assert.deepEqual([both.body.activeProjectId, both.body.isMultiInstance], [null, true])
    assert.equal((await server.get(CA, { token })).status, 400)
    assert.equal((await server.get(`${CA}?projectId=${second.id}`, { token })).status, 200)

    const chosen = await choose(second.id)
    assert.deepEqual(chosen.body, {
      activeProjectId: second.id,
      previousActiveProjectId: null,
      projectName: 'Second',
    })
    assert.equal((await choose(first.id)).body.previousActiveProjectId, second.id)
    assert.equal((await server.get(INSTANCE, { token })).body.activeProjectId, first.id)
    assert.equal((await server.get(CA, { token })).status, 200)
  })

  test('400 to choose what is not there, of another kind or of another organization; 422 for no id', async () => {
    const secrets = await createProject(server, token)
    const elsewhere = await createProject(server, other.token, { type: 'cert-manager' })
    for (const id of [UNKNOWN_ID, secrets.id, elsewhere.id]) assert.equal((await choose(id)).status, 400)
    assert.equal((await choose('nonsense')).status, 422)
  })

  test('401 without a token, 403 to choose without the right to settings', async () => {
    const member = await createIdentity(server, admin)
    const { projects } = (await server.get(INSTANCE, { token: member.token })).body
    assert.equal((await choose(projects[0].id, member.token)).status, 403)
    assert.equal((await server.get(INSTANCE)).status, 401)
  })
})
