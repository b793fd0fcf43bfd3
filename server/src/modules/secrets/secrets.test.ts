import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { logIn } from '../../../test/test-people.ts'
import { auditOf, createMember, createOtherOrganization } from '../../../test/test-projects.ts'
import { joinUser, startSecretServer, TestSecrets } from '../../../test/test-secrets.ts'

const UNKNOWN_ID = '11111111-1111-4111-8111-111111111111'
const V3 = '/api/v3/secrets/raw'
const HIDDEN = '<hidden-by-infisical>'

const { server, admin, token, db, secrets, projectId } = await startSecretServer()
const legacy = { workspaceId: projectId, environment: 'dev' }
const elsewhere = await createOtherOrganization(server, admin)

const folder = async (name: string) => {
  await secrets.folder(name)
  return `/${name}`
}

describe('creating a secret', () => {
  test('200 in exactly the shape of the wire, in both versions', async () => {
    const present = await secrets.create('A-1.x y', ' value \n', { secretComment: ' why ' })
    const older = await server.post(`${V3}/B`, { ...legacy, secretValue: 'v', secretReminderNote: null }, { token })
    assert.deepEqual([present.status, older.status], [200, 200], present.text)
    const { id, _id, createdAt, updatedAt, ...rest } = present.body.secret
    assert.equal(id, _id)
    assert.ok(Date.parse(createdAt as string) && Date.parse(updatedAt as string))
    assert.deepEqual(rest, {
      workspace: projectId,
      environment: 'dev',
      version: 1,
      type: 'shared',
      secretKey: 'A-1.x y',
      secretValue: 'value\n',
      secretComment: 'why',
      secretReminderNote: null,
      secretReminderRepeatDays: null,
      skipMultilineEncoding: false,
      isRotatedSecret: false,
      rotationId: null,
    })
    assert.deepEqual(Object.keys(older.body.secret), Object.keys(present.body.secret))
  })

  test('is written down without its value', async () => {
    await secrets.create('NOTED', 'canary-value', {
      secretMetadata: [{ key: 'k', value: 'canary', isEncrypted: true }],
    })
    const [record] = (await auditOf(db, projectId, 'create-secret')).slice(-1)
    assert.equal(record?.eventMetadata['secretKey'], 'NOTED')
    assert.ok(!JSON.stringify(record).includes('canary'))
  })

  test('keeps empty, large and odd values as they are', async () => {
    const values = { EMPTY: '', LARGE: 'x'.repeat(1_000_000), ODD: 'zażółć 🔑 "\\ ${', MANY: 'a\nb\nc' }
    const secretPath = await folder('values')
    for (const [name, value] of Object.entries(values)) {
      assert.equal((await secrets.create(name, value, { secretPath })).status, 200)
    }
    assert.deepEqual(await secrets.values({ secretPath }), values)
    assert.equal((await secrets.get('LARGE', { secretPath })).body.secret.secretValue, values.LARGE)
  })

  test('keeps metadata and shows it, encrypted or not', async () => {
    const metadata = [
      { key: 'plain', value: 'p', isEncrypted: false },
      { key: 'sealed', value: 's', isEncrypted: true },
    ]
    await secrets.create('META', 'v', { secretMetadata: metadata })
    const { secret } = (await secrets.get('META')).body
    assert.deepEqual(secret.secretMetadata, metadata)
    const found = await secrets.values({ metadataFilter: 'key=plain,value=p' })
    assert.deepEqual(Object.keys(found), ['META'])
    assert.deepEqual(await secrets.values({ metadataFilter: 'key=sealed,value=s' }), {})
  })

  test('200 for the longest key, of characters that fill several bytes, by every word for it', async () => {
    const key = '鍵'.repeat(500)
    assert.equal((await secrets.create(key, 'v')).status, 200)
    const updated = await secrets.update(key, { secretValue: 'w' })
    assert.deepEqual([updated.status, (await secrets.get(key)).body.secret.secretValue], [200, 'w'])
    const older = await server.get(`${V3}/${encodeURIComponent(key)}`, { token, query: legacy })
    assert.deepEqual([older.status, (await secrets.remove(key)).status], [200, 200])
    assert.notEqual((await secrets.create(`${key}x`, 'v')).status, 200)
  })

  test('200 for a key of another script, and for extra words', async () => {
    const answer = await secrets.create('ключ', 'v', { secretName: 'other', secretKey: 'another', tagIds: [] })
    assert.deepEqual([answer.status, answer.body.secret.secretKey], [200, 'ключ'])
  })

  const cases: [number, string, string, object][] = [
    [400, 'it is there already', 'NOTED', {}],
    [400, 'no project is named', 'X', { projectId: '' }],
    [400, 'a machine wants a personal one', 'NOTED', { type: 'personal' }],
    [404, 'the project is unknown', 'X', { projectId: UNKNOWN_ID }],
    [404, 'the environment is unknown', 'X', { environment: 'nowhere' }],
    [404, 'the folder is unknown', 'X', { secretPath: '/nowhere' }],
    [404, 'a tag is unknown', 'X', { tagIds: [UNKNOWN_ID] }],
    [404, 'a tag is no id', 'X', { tagIds: ['none'] }],
    [422, 'the name has a colon', 'A:B', {}],
    [422, 'the name has a slash', 'A/B', {}],
    [422, 'the name is blank', ' ', {}],
    [422, 'there is no value', 'X', { secretValue: null }],
    [422, 'the type is another', 'X', { type: 'other' }],
    [422, 'the note is too long', 'X', { secretReminderNote: 'x'.repeat(1_025) }],
  ]
  for (const [status, reason, name, body] of cases) {
    test(`${status} when ${reason}`, async () => {
      const answer = await secrets.create(name, 'v', body)
      assert.equal(answer.status, status, answer.text)
    })
  }

  test('401 without a token, 403 for a viewer, 404 from another organization', async () => {
    const viewer = await createMember(server, admin, { db, projectId, role: 'viewer' })
    assert.equal((await server.post('/api/v4/secrets/X', { projectId })).status, 401)
    assert.equal((await secrets.create('X', 'v', {}, viewer.token)).status, 403)
    assert.equal((await secrets.create('X', 'v', {}, elsewhere.token)).status, 404)
    assert.equal((await secrets.list({}, elsewhere.token)).status, 404)
  })

  test('one wins when sixteen create the same key at once, and none is lost of sixteen others', async () => {
    const same = await Promise.all(Array.from({ length: 16 }, () => secrets.create('RACE', 'v')))
    assert.deepEqual(same.filter(({ status }) => status === 200).length, 1)
    const taken = same.filter(({ status }) => status === 400).map(({ body }) => body.message as unknown)
    assert.deepEqual([...new Set(taken)], ['Secret already exists: RACE'])
    const others = await Promise.all(Array.from({ length: 16 }, (_, i) => secrets.create(`RACE_${i}`, 'v')))
    assert.ok(others.every(({ status }) => status === 200))
  })
})

describe('the settings of a project', () => {
  test('can demand upper case and encrypted metadata', async () => {
    const strict = await TestSecrets.open(server, admin)
    const settings = { autoCapitalization: true, enforceEncryptedSecretManagerSecretMetadata: true }
    await server.patch(`/api/v1/projects/${strict.projectId}`, settings, { token })
    assert.equal((await strict.create('lower', 'v')).status, 400)
    assert.equal((await strict.create('UPPER', 'v', { secretMetadata: [{ key: 'k' }] })).status, 400)
    const sealed = { secretMetadata: [{ key: 'k', isEncrypted: true }] }
    assert.equal((await strict.create('UPPER', 'v', sealed)).status, 200)
    assert.equal((await strict.update('UPPER', { newSecretName: 'lower' })).status, 400)
  })
})

describe('reading a secret', () => {
  test('200 with all that is known of it, and written down first', async () => {
    await secrets.create('READ', 'v', { secretComment: 'c' })
    const { status, body } = await secrets.get('READ')
    assert.equal(status, 200)
    const { secretPath, secretValueHidden, tags, secretMetadata, secretValue, secretComment } = body.secret
    assert.deepEqual([secretPath, secretValueHidden, tags, secretMetadata], ['/', false, [], []])
    assert.deepEqual([secretValue, secretComment], ['v', 'c'])
    const [record] = (await auditOf(db, projectId, 'get-secret')).slice(-1)
    assert.equal(record?.eventMetadata['secretKey'], 'READ')
    const byId = await server.get(`/api/v4/secrets/id/${body.secret.id}`, { token })
    assert.deepEqual([byId.status, byId.body.secret.secretValue, byId.body.secret.secretPath], [200, 'v', '/'])
    assert.equal((await server.get(`${V3}/id/${body.secret.id}`, { token })).status, 200)
  })

  test('200 in the older words, by the slug of the project too, with one of two left empty', async () => {
    const { body } = await server.get(`/api/v1/projects/${projectId}`, { token })
    const query = {
      workspaceId: '',
      workspaceSlug: body.project.slug as string,
      environment: 'dev',
      secretName: 'READ',
    }
    const answer = await server.get(`${V3}/READ`, { token, query })
    assert.deepEqual([answer.status, answer.body.secret.secretValue], [200, 'v'])
    assert.equal((await server.get(V3, { token, query })).status, 200)
  })

  test('an earlier version by its number', async () => {
    await secrets.create('OLD', 'one')
    await secrets.update('OLD', { secretValue: 'two' })
    assert.equal((await secrets.get('OLD', { version: '1' })).body.secret.secretValue, 'one')
    assert.equal((await secrets.get('OLD', { version: '2' })).body.secret.secretValue, 'two')
    assert.equal((await secrets.get('OLD', { version: '3' })).status, 404)
  })

  test('without its value where that is wished', async () => {
    const { secret } = (await secrets.get('READ', { viewSecretValue: 'False' })).body
    assert.deepEqual([secret.secretValue, secret.secretValueHidden, secret.secretComment], [HIDDEN, true, 'c'])
  })

  test('404 for what is not there, 400 without an environment', async () => {
    assert.equal((await secrets.get('NONE')).status, 404)
    assert.equal((await secrets.get('READ', { secretPath: '/none' })).status, 404)
    assert.equal((await secrets.get('READ', { type: 'personal' })).status, 404)
    assert.equal((await secrets.get('READ', { environment: '' })).status, 400)
    assert.equal((await server.get(`${V3}/READ`, { token, query: { environment: 'dev' } })).status, 400)
    for (const id of [UNKNOWN_ID, 'none']) {
      assert.equal((await server.get(`/api/v4/secrets/id/${id}`, { token })).status, 404)
    }
  })
})

describe('updating a secret', () => {
  test('200 as the next version, with what was not said left as it was', async () => {
    await secrets.create('UP', 'v', { secretComment: 'c', skipMultilineEncoding: true })
    const { status, body } = await secrets.update('UP', { secretValue: 'w', type: 'shared', metadata: {} })
    assert.equal(status, 200)
    const { version, secretValue, secretComment, secretValueHidden, skipMultilineEncoding } = body.secret
    assert.deepEqual([version, secretValue, secretComment, secretValueHidden], [2, 'w', 'c', false])
    assert.equal(skipMultilineEncoding, true)
    const again = await server.patch(`${V3}/UP`, legacy, { token })
    assert.deepEqual([again.body.secret.version, again.body.secret.secretValue], [3, 'w'])
  })

  test('a new name, unless it is taken', async () => {
    await secrets.create('FROM', 'v')
    assert.equal((await secrets.update('FROM', { newSecretName: 'TO' })).status, 200)
    assert.equal((await secrets.get('FROM')).status, 404)
    assert.equal((await secrets.get('TO')).body.secret.secretValue, 'v')
    assert.equal((await secrets.update('TO', { newSecretName: 'UP' })).status, 400)
    assert.equal((await secrets.update('TO', { newSecretName: 'A/B' })).status, 422)
  })

  test('404 for what is not there, 403 for a viewer whether it is or not', async () => {
    const viewer = await createMember(server, admin, { db, projectId, role: 'viewer' })
    assert.equal((await secrets.update('NONE', { secretValue: 'x' })).status, 404)
    assert.equal((await secrets.update('UP', { secretPath: '/none' })).status, 404)
    assert.equal((await secrets.update('UP', {}, viewer.token)).status, 403)
    assert.equal((await secrets.update('NONE', {}, viewer.token)).status, 403)
  })

  test('64 at once all succeed, one after the other', async () => {
    await secrets.create('COUNT', '0')
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, i) => secrets.update('COUNT', { secretValue: `${i}` })),
    )
    const versions = answers.map(({ body }) => body.secret.version as number).sort((a, b) => a - b)
    assert.deepEqual(
      versions,
      Array.from({ length: 64 }, (_, i) => i + 2),
    )
    const last = answers.find(({ body }) => body.secret.version === 65)
    assert.equal((await secrets.get('COUNT')).body.secret.secretValue, last?.body.secret.secretValue)
  })
})

describe('deleting a secret', () => {
  test('200 with what it was, in both versions; then it is gone', async () => {
    await secrets.create('GONE', 'v', { secretComment: 'c' })
    const { status, body } = await secrets.remove('GONE')
    assert.equal(status, 200)
    assert.deepEqual([body.secret.secretValue, body.secret.secretComment, body.secret.version], ['v', 'c', 1])
    assert.ok(!('isRotatedSecret' in body.secret))
    assert.equal((await secrets.get('GONE')).status, 404)
    assert.equal((await server.delete(`${V3}/GONE`, { body: legacy, token })).status, 404)
    assert.equal((await secrets.create('GONE', 'again')).body.secret.version, 1)
  })

  test('403 for a viewer, 404 for a personal one of a machine', async () => {
    const viewer = await createMember(server, admin, { db, projectId, role: 'viewer' })
    assert.equal((await secrets.remove('UP', {}, viewer.token)).status, 403)
    assert.equal((await secrets.remove('UP', { type: 'personal' })).status, 404)
  })
})

describe('personal secrets', () => {
  test('override a shared one for their owner alone, and go with it', async () => {
    const secretPath = await folder('personal')
    const own = await logIn(server, admin)
    await joinUser(db, projectId, { userId: admin.userId, role: 'member' })
    const mine = { secretPath, type: 'personal' }
    assert.equal((await secrets.create('P', 'mine', mine, own)).status, 400)
    await secrets.create('P', 'all', { secretPath })
    assert.equal((await secrets.create('P', 'mine', mine, own)).status, 200)
    assert.equal((await secrets.create('P', 'mine', mine, own)).status, 400)

    assert.deepEqual(await secrets.values({ secretPath }, own), { P: 'all' })
    assert.deepEqual(await secrets.values({ secretPath, includePersonalOverrides: 'true' }, own), { P: 'mine' })
    assert.deepEqual(await secrets.values({ secretPath, includePersonalOverrides: 'true' }), { P: 'all' })
    const both = await server.get(V3, { token: own, query: { ...legacy, secretPath } })
    const types = (both.body.secrets as { type: string }[]).map(({ type }) => type)
    assert.deepEqual(types, ['shared', 'personal'])
    assert.equal((await secrets.get('P', mine, own)).body.secret.secretValue, 'mine')
    assert.equal((await secrets.update('P', { ...mine, newSecretName: 'Q' }, own)).status, 400)
    assert.equal((await secrets.update('P', { ...mine, secretValue: 'new' }, own)).body.secret.secretValue, 'new')

    await secrets.remove('P', { secretPath })
    assert.equal((await secrets.get('P', mine, own)).status, 404)
  })
})
