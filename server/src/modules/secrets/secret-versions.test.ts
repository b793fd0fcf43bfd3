import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { startSecretServer, TestSecrets } from '../../../test/test-secrets.ts'

const UNKNOWN_ID = '11111111-1111-4111-8111-111111111111'

const { server, admin, token, db, secrets } = await startSecretServer()

const versionsOf = (id: string, as = token, query = { offset: '0', limit: '100' }) =>
  server.get(`/api/v1/secret/${id}/secret-versions`, { token: as, query })
const rollBack = (id: string, version: number, as = token) =>
  server.post(`/api/x/secrets/${id}/rollback`, { version }, { token: as })
const made = async (name: string, ...values: string[]): Promise<string> => {
  const [first = '', ...rest] = values
  const { body } = await secrets.create(name, first)
  for (const secretValue of rest) await secrets.update(name, { secretValue })
  return body.secret.id as string
}

describe('the versions of a secret', () => {
  test('are kept, the newest first, up to what the project keeps', async () => {
    const id = await made('KEPT', ...Array.from({ length: 13 }, (_, i) => `v${i + 1}`))
    const { status, body } = await versionsOf(id)
    assert.equal(status, 200)
    const found = body.secretVersions as { version: number; secretValue: string; id: string }[]
    assert.deepEqual(
      found.map(({ version }) => version),
      [13, 12, 11, 10, 9, 8, 7, 6, 5, 4],
    )
    assert.deepEqual([found[0]?.secretValue, found[9]?.secretValue], ['v13', 'v4'])
    assert.notEqual(found[0]?.id, id)
    assert.equal((await versionsOf(id, token, { offset: '9', limit: '5' })).body.secretVersions.length, 1)
  })

  test('hide values from who may not read, and themselves from who may not see them', async () => {
    const id = await made('HIDE', 'v')
    const blind = await secrets.tokenAllowing(db, { subject: 'commits', action: ['read'] })
    const [version] = (await versionsOf(id, blind)).body.secretVersions
    assert.deepEqual([version.secretValueHidden, version.secretValue === 'v'], [true, false])
    assert.deepEqual([version.secretKey, version.secretComment, version.version], ['', '', 1])
    const describe = { subject: 'secrets', action: ['describeSecret'] }
    const dim = await secrets.tokenAllowing(db, { subject: 'commits', action: ['read'] }, describe)
    const [named] = (await versionsOf(id, dim)).body.secretVersions
    assert.deepEqual([named.secretValueHidden, named.secretKey], [true, 'HIDE'])
    const reader = await secrets.tokenAllowing(db, { subject: 'secrets', action: ['read'] })
    assert.equal((await versionsOf(id, reader)).status, 403)
    for (const none of [UNKNOWN_ID, 'none']) assert.equal((await versionsOf(none)).status, 404)
    assert.equal((await versionsOf(id, token, { offset: '0', limit: '1001' })).status, 422)
  })

  test('can be returned to, also after the secret was deleted', async () => {
    const id = await made('BACK', 'one', 'two')
    const back = await rollBack(id, 1)
    assert.deepEqual([back.status, back.body.secret.version, back.body.secret.secretValue], [200, 3, 'one'])
    await secrets.remove('BACK')
    assert.equal((await rollBack(id, 9)).status, 404)
    const revived = await rollBack(id, 2)
    assert.equal(revived.status, 200, revived.text)
    assert.equal((await secrets.get('BACK')).body.secret.secretValue, 'two')
    const writer = await secrets.tokenAllowing(db, { subject: 'secrets', action: ['edit', 'create'] })
    assert.equal((await rollBack(id, 1, writer)).status, 403)
  })

  test('can be blanked, except the latest', async () => {
    const id = await made('BLANK', 'one', 'two')
    const [latest, first] = (await versionsOf(id)).body.secretVersions
    const redact = (versionId: string) => server.delete(`/api/v2/secret-versions/${versionId}/redact-value`, { token })
    assert.equal((await redact(latest.id as string)).status, 400)
    assert.equal((await redact(first.id as string)).status, 200)
    assert.equal((await redact(UNKNOWN_ID)).status, 404)
    assert.equal((await secrets.get('BLANK', { version: '1' })).body.secret.secretValue, '')
  })
})

describe('at rest', () => {
  test('no value, comment or encrypted metadata can be read', async () => {
    const canary = 'canary-7f3a'
    await secrets.create('CANARY', canary, {
      secretComment: canary,
      secretMetadata: [{ key: 'k', value: canary, isEncrypted: true }],
    })
    await secrets.update('CANARY', { secretValue: `${canary}-2` })
    await secrets.list()
    for (const table of ['secrets', 'secret_versions', 'changes', 'audit_logs']) {
      const { rows } = await sql<{ count: number }>`
        select count(*)::int as count from ${sql.table(table)} as t
        where t::text like ${`%${canary}%`} or t::text like ${`%${Buffer.from(canary).toString('hex')}%`}`.execute(db)
      assert.equal(rows[0]?.count, 0, table)
    }
  })

  test('a value that was moved to another secret or changed is not shown', async () => {
    const apart = await TestSecrets.open(server, admin)
    await apart.create('A', 'a')
    await apart.create('B', 'b')
    const at = sql`from folders f where f.id = s.folder_id and f.project_id = ${apart.projectId} and s.key = 'A'`
    await sql`update secrets s set value = (select o.value from secrets o where o.folder_id = s.folder_id and o.key = 'B') ${at}`.execute(
      db,
    )
    const answer = await apart.get('A')
    assert.equal(answer.status, 500)
    assert.ok(!answer.text.includes('"b"'))
  })
})
