import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createProject, type ProjectBody } from '../../../test/test-projects.ts'
import { startServerOn, startTestServer } from '../../../test/test-server.ts'

const server = await startTestServer()
const { token } = await server.bootstrap()

const pathOf = (projectId: string, id = '') => `/api/v1/workspace/${projectId}/environments/${id}`

/** A project whose environments stand at these positions, called `at-<position>`. */
const projectWith = async (...positions: number[]) => {
  const { id } = await createProject(server, token, { shouldCreateDefaultEnvs: false })
  const ids = new Map<number, string>()
  for (const position of positions) {
    const created = await server.post(pathOf(id), { name: 'x', slug: `at-${position}`, position }, { token })
    ids.set(position, created.body.environment.id as string)
  }
  const positionOf = async (environmentId: string) =>
    (await server.get(`/api/v1/workspace/environments/${environmentId}`, { token })).body.environment.position as number
  return {
    id,
    idAt: (position: number) => ids.get(position) ?? '',
    /** Where those stand now that stood at each of the positions. */
    now: () => Promise.all([...ids.values()].map(positionOf)),
  }
}

describe('moving an environment', () => {
  for (const [name, before, from, to, now] of [
    ['to a free place moves nobody', [1, 2, 3], 1, 10, [10, 2, 3]],
    ['into a gap moves nobody', [1, 5, 9], 9, 3, [1, 5, 3]],
    ['forward to a taken place moves up those from there to where it was', [1, 2, 3, 4], 3, 1, [2, 3, 1, 4]],
    ['backward to a taken place moves up those from there on', [1, 2, 3, 4], 1, 3, [3, 2, 4, 5]],
    ['keeps the gaps of those who move', [1, 3, 7], 7, 1, [2, 4, 1]],
    ['below zero is kept as it was sent', [1, 2], 2, -5, [1, -5]],
    ['to the next place', [1, 2], 1, 2, [2, 3]],
    ['to the place before', [1, 2], 2, 1, [2, 1]],
  ] as const) {
    test(name, async () => {
      const project = await projectWith(...before)
      const { status, body } = await server.patch(pathOf(project.id, project.idAt(from)), { position: to }, { token })
      assert.deepEqual([status, body.environment.position], [200, to])
      assert.deepEqual(await project.now(), now)
    })
  }

  test('a place that a deleted one left is free, also when that one comes back', async () => {
    const project = await projectWith(1, 2, 3)
    await server.delete(`/api/v1/projects/${project.id}/environments/${project.idAt(2)}`, { token })
    await server.patch(pathOf(project.id, project.idAt(1)), { position: 2 }, { token })
    const path = `/api/v1/projects/${project.id}/environments/${project.idAt(2)}/restore`
    assert.equal((await server.post(path, undefined, { token })).body.environment.position, 4)
    assert.deepEqual(await project.now(), [2, 4, 3])
  })

  test('positions stay unique whatever happens at the same time, in two processes', async () => {
    const project = await projectWith(1, 2, 3, 4, 5)
    const other = await startServerOn(server.url)
    try {
      const work = Array.from({ length: 40 }, (_, index) => {
        const process = index % 2 === 0 ? server : other
        const id = project.idAt((index % 5) + 1)
        const position = (index % 7) + 1
        return index % 10 === 9
          ? process.post(pathOf(project.id), { name: 'x', slug: `new-${index}`, position }, { token })
          : process.patch(pathOf(project.id, id), { position }, { token })
      })
      const answers = await Promise.all(work)
      for (const [index, { status, body }] of answers.entries()) {
        assert.deepEqual([status, body.environment?.position], [200, (index % 7) + 1])
      }
    } finally {
      await other.stop()
    }
    const { body } = await server.get(`/api/v1/projects/${project.id}`, { token })
    const ids = (body.project as ProjectBody).environments.map(({ id }) => id)
    assert.equal(ids.length, 9)
    const positions = await Promise.all(
      ids.map(async (id) => (await server.get(pathOf(project.id, id), { token })).body.environment.position as number),
    )
    assert.equal(new Set(positions).size, 9)
    assert.deepEqual(
      positions,
      [...positions].sort((a, b) => a - b),
    )
  })

  test('of two that take one slug at the same time one is told 400', async () => {
    const project = await projectWith(1, 2)
    const answers = await Promise.all([
      server.patch(pathOf(project.id, project.idAt(1)), { slug: 'wanted' }, { token }),
      server.patch(pathOf(project.id, project.idAt(2)), { slug: 'wanted' }, { token }),
      server.post(pathOf(project.id), { name: 'x', slug: 'wanted' }, { token }),
    ])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400])
  })
})
