import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProjectMember } from './test-members.ts'
import { createProject } from './test-projects.ts'
import { startServerOn, startTestServer } from './test-server.ts'

const server = await startTestServer()
const admin = await server.bootstrap()

const WITHIN_MS = 1_000
const PATHS = ['/api/v1/projects/{id}', '/api/v1/projects/{id}/roles', '/api/v1/projects/{id}/tags']

/** Whoever spells an id in another way must not keep an answer that the change under its usual name does not reach. */
test('an id in upper case grants nothing longer than the id itself, in any process', async () => {
  const other = await startServerOn(server.url)
  try {
    const { id } = await createProject(server, admin.token)
    const member = await createProjectMember(server, admin, id, 'viewer')
    const spellings = PATHS.flatMap((path) => [id, id.toUpperCase()].map((spelled) => path.replace('{id}', spelled)))
    const look = async (path: string) => (await other.get(path, { token: member.token })).status
    for (const path of spellings) {
      const status = await look(path)
      assert.ok(status === 200 || (status === 404 && !path.includes(id)), `${path}: ${status}`)
    }

    const membership = `/api/v1/projects/${id}/memberships/identities/${member.identityId}`
    assert.equal((await server.delete(membership, { token: admin.token })).status, 200)
    const removedAt = performance.now()
    for (const path of spellings) {
      while ((await look(path)) === 200) assert.ok(performance.now() - removedAt < WITHIN_MS, path)
    }
  } finally {
    await other.stop()
  }
})
