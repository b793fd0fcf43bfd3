import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startSecretServer, TestSecrets } from '../../../test/test-secrets.ts'

const { server, admin, token, db, secrets, projectId } = await startSecretServer()

const WRITES = { subject: 'secrets', action: ['create', 'edit', 'delete'] }
const FOLDERS = { subject: 'secret-folders', action: ['create', 'edit', 'delete'] }
const READS = { subject: 'secrets', action: ['describeSecret', 'readValue'] }
const RESTORES = { subject: 'commits', action: ['perform-rollback'] }
const except = (conditions: object) => ({ ...READS, inverted: true, conditions })

const idOf = async (name: string, secretPath = '/') => {
  const { body } = await secrets.get(name, { secretPath })
  return body.secret.id as string
}
const move = (secretId: string, from: string, to: string, mover: string) =>
  server.post(
    '/api/v4/secrets/move',
    {
      projectId,
      sourceEnvironment: 'dev',
      sourceSecretPath: from,
      destinationEnvironment: 'dev',
      destinationSecretPath: to,
      secretIds: [secretId],
    },
    { token: mover },
  )

describe('what is kept from someone who may write it', () => {
  test('403 stays so: it is not moved to where they may read it, nor is its folder, nor is that renamed', async () => {
    const vault = (await secrets.folder('vault')).body.folder.id as string
    await secrets.folder('open')
    await secrets.create('KEPT', 'kept', { secretPath: '/vault' })
    const kept = except({ secretPath: { $glob: '/vault/**' } })
    const writer = await secrets.tokenAllowing(db, WRITES, FOLDERS, READS, kept)
    assert.equal((await move(await idOf('KEPT', '/vault'), '/vault', '/open', writer)).status, 403)

    const folderMove = { projectId, folderId: vault, destinationEnvironment: 'dev', destinationPath: '/open' }
    assert.equal((await server.post('/api/v2/folders/move', folderMove, { token: writer })).status, 403)
    const renaming = { projectId, environment: 'dev', path: '/', name: 'other' }
    assert.equal((await server.patch(`/api/v2/folders/${vault}`, renaming, { token: writer })).status, 403)
    assert.equal((await server.patch(`/api/v2/folders/${vault}`, renaming, { token })).status, 200)
  })

  test('403 gets no other name and loses no tag, unless it gets another value too', async () => {
    const tag = await server.post(`/api/v1/projects/${projectId}/tags`, { slug: 'high', color: '' }, { token })
    await secrets.create('SECRET', 'first')
    await secrets.update('SECRET', { secretValue: 'second', tagIds: [tag.body.tag.id] })
    const kept = except({ secretTags: { $in: ['high'] } })
    const writer = await secrets.tokenAllowing(db, WRITES, RESTORES, READS, kept)
    assert.equal((await secrets.update('SECRET', { tagIds: [] }, writer)).status, 403)
    const rollback = `/api/x/secrets/${await idOf('SECRET')}/rollback`
    assert.equal((await server.post(rollback, { version: 1 }, { token: writer })).status, 403)

    const byName = await secrets.tokenAllowing(db, WRITES, READS, except({ secretName: { $eq: 'SECRET' } }))
    assert.equal((await secrets.update('SECRET', { newSecretName: 'PUBLIC' }, byName)).status, 403)
    assert.equal((await secrets.update('SECRET', { secretComment: 'still kept' }, byName)).status, 200)
    const replaced = { newSecretName: 'PUBLIC', secretValue: 'third' }
    assert.equal((await secrets.update('SECRET', replaced, byName)).status, 200)
  })

  test('403 is not taken out of an earlier version by someone who may not edit what it has become', async () => {
    const tag = await server.post(`/api/v1/projects/${projectId}/tags`, { slug: 'locked', color: '' }, { token })
    await secrets.create('LOCKED', 'first')
    await secrets.update('LOCKED', { secretValue: 'second', tagIds: [tag.body.tag.id] })
    const locked = { ...WRITES, inverted: true, conditions: { secretTags: { $in: ['locked'] } } }
    const reads = { subject: 'commits', action: ['read'] }
    const writer = await secrets.tokenAllowing(db, WRITES, READS, reads, locked)
    const path = `/api/v1/secret/${await idOf('LOCKED')}/secret-versions`
    const versions = await server.get(path, { token, query: { offset: '0', limit: '5' } })
    const redact = `/api/v2/secret-versions/${versions.body.secretVersions[1].id as string}/redact-value`
    assert.equal((await server.delete(redact, { token: writer })).status, 403)
    assert.equal((await server.delete(redact, { token })).status, 200)
  })

  test('400 stays so when its environment is renamed: the rule has to know the new slug first', async () => {
    const { projectId: id } = await TestSecrets.open(server, admin)
    const project = (await server.get(`/api/v1/projects/${id}`, { token })).body.project
    const [dev] = project.environments as [{ id: string }]
    const rename = (slug: string, as = token) =>
      server.patch(`/api/v1/projects/${id}/environments/${dev.id}`, { slug }, { token: as })
    const role = `/api/v1/projects/${id}/roles`
    const rules = (environment: object) => ({ permissions: [READS, except({ environment })] })
    const made = await server.post(role, { slug: 'outsider', name: 'Outsider', ...rules({ $eq: 'dev' }) }, { token })
    assert.equal(made.status, 200, made.text)
    const refused = await rename('test')
    assert.deepEqual([refused.status, refused.body.error], [400, 'UpdateEnvironment'])
    assert.match(refused.body.message, /role 'outsider'/)
    const both = rules({ $in: ['dev', 'test'] })
    assert.equal((await server.patch(`${role}/${made.body.role.id}`, both, { token })).status, 200)
    assert.equal((await rename('test')).status, 200)
  })

  for (const [inverted, environment] of [
    [false, { $ne: 'dev' }],
    [false, { $glob: '!dev' }],
    [false, { $glob: '!(dev)' }],
    [false, { $ne: '{{identity.metadata.noenv}}' }],
    [true, { $eq: '{{identity.metadata.noenv}}' }],
  ] as const) {
    test(`400 the same with ${inverted ? 'deny' : 'allow'} ${JSON.stringify(environment)}, named to those who may read roles`, async () => {
      const place = await TestSecrets.open(server, admin)
      const { environments } = (await server.get(`/api/v1/projects/${place.projectId}`, { token })).body.project
      await place.tokenAllowing(db, { ...READS, inverted, conditions: { environment } })
      const renamer = await place.tokenAllowing(db, { subject: 'environments', action: ['edit', 'read'] })
      const path = `/api/v1/projects/${place.projectId}/environments/${environments[0].id as string}`
      for (const [as, isNamed] of [
        [token, true],
        [renamer, false],
      ] as const) {
        const { status, body } = await server.patch(path, { slug: 'test' }, { token: as })
        assert.equal(status, 400)
        assert.equal(/The role 'role-/.test(body.message as string), isNamed, body.message)
        assert.equal(/role-/.test(body.message as string), isNamed)
      }
    })
  }

  test('403 stays so for whoever may rename its environment to one that they may read', async () => {
    const place = await TestSecrets.open(server, admin)
    await place.create('KEPT', 'kept')
    const { environments } = (await server.get(`/api/v1/projects/${place.projectId}`, { token })).body.project
    const renames = { subject: 'environments', action: ['edit', 'read'] }
    const inMine = { ...READS, conditions: { environment: { $glob: 'mine*' } } }
    const renamer = await place.tokenAllowing(db, renames, inMine)
    const rename = (slug: string) =>
      server.patch(
        `/api/v1/projects/${place.projectId}/environments/${environments[0].id}`,
        { slug },
        { token: renamer },
      )
    assert.equal((await rename('mine')).status, 403)
    assert.equal((await rename('theirs')).status, 200)
  })

  test('is not guessed by moving something of the same name there', async () => {
    await secrets.folder('mine')
    await secrets.folder('theirs')
    await secrets.create('PIN', '4711', { secretPath: '/theirs' })
    const inMine = { conditions: { secretPath: { $eq: '/mine' } } }
    const guesser = await secrets.tokenAllowing(db, { ...WRITES, ...inMine }, { ...READS, ...inMine })
    const writer = await secrets.tokenAllowing(db, WRITES, { ...READS, ...inMine })
    const answers: [number, string][] = []
    for (const guess of ['1234', '4711']) {
      await secrets.create('PIN', guess, { secretPath: '/mine' })
      const id = await idOf('PIN', '/mine')
      assert.equal((await move(id, '/mine', '/theirs', guesser)).status, 403)
      const { status, body } = await move(id, '/mine', '/theirs', writer)
      answers.push([status, body.message as string])
      await secrets.remove('PIN', { secretPath: '/mine' })
    }
    assert.deepEqual(answers[0], answers[1])
  })
})
