import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { Administrator, call } from './administrator.ts'
import { declaredResources, type Ground } from './declared-resources.ts'
import { startServerProcess } from './server-process.ts'

const server = await startServerProcess()
after(server.stop)
const administrator = await Administrator.bootstrap(server.url)
const { token, organizationId } = administrator

const createGround = async (): Promise<Ground> => {
  const { project } = await administrator.post('/api/v2/workspace', {
    projectName: 'Declared',
    slug: 'declared',
    organizationSlug: '',
    shouldCreateDefaultEnvs: true,
    hasDeleteProtection: false,
  })
  const { identity } = await administrator.post('/api/v1/identities', { name: 'subject', organizationId })
  await administrator.post(`/api/v2/workspace/${project.id}/identity-memberships/${identity.id}`, { role: 'viewer' })
  return { projectId: project.id, projectSlug: project.slug, organizationId, identityId: identity.id }
}

/** Only what was declared is compared: a resource shows more than that. */
const among = (shown: Record<string, unknown>, declared: object) =>
  Object.fromEntries(Object.keys(declared).map((field) => [field, shown[field]]))

const resources = declaredResources(await createGround())

describe('a client that declares', () => {
  for (const { name, create, wrapper, read, sent, change, changed, remove } of resources) {
    const send = (method: string, { path, body }: { path: string; body?: object }) =>
      call(server.url, method, path, { token, ...(body && { body }) })
    const unwrap = (answer: Record<string, Record<string, unknown>>) => (wrapper ? (answer[wrapper] ?? {}) : answer)

    test(`${name} reads what it sent, and after a change what it sent then, until it is gone`, async () => {
      const id = String(unwrap(await send('POST', create))['id'])
      const shown = async (declared: object) => among(unwrap(await send('GET', { path: read(id) })), declared)
      assert.deepEqual(await shown(sent), sent)
      await send('PATCH', change(id))
      assert.deepEqual(await shown(changed), changed)
      await send('DELETE', remove(id))
      await assert.rejects(send('GET', { path: read(id) }), /answered 404/)
    })
  }
})
