import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { lockWaits } from '../../../test/lock-waits.ts'
import { startSecretServer } from '../../../test/test-secrets.ts'
import type { Answer } from '../../../test/test-server.ts'
import type { Db } from '../../platform/db/db.ts'

const { server, admin, token, db, secrets, projectId } = await startSecretServer()

/** Something else happens, of which one that has begun to write does not know. */
const meanwhile = async (change: (tx: Db) => Promise<unknown>, write: () => Promise<Answer>): Promise<Answer> => {
  const writing = await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtext(${admin.organizationId}), stripe)
      from generate_series(0, 63) as stripe`.execute(tx)
    const answer = write()
    await lockWaits(db)
    await change(tx)
    return { answer }
  })
  return writing.answer
}
const renaming = (from: string, to: string) => (tx: Db) =>
  sql`update secrets s set key = ${to} from folders f
    where f.id = s.folder_id and f.project_id = ${projectId} and s.key = ${from}`.execute(tx)
const moving = (from: string, to: string) => (tx: Db) =>
  sql`update folders set path = ${to}, name = ${to.slice(1)}
    where project_id = ${projectId} and path = ${from}`.execute(tx)

test('an upsert changes what someone else creates meanwhile', async () => {
  await secrets.create('CREATED_AS', 'theirs')
  const wanted = [{ secretKey: 'CREATED', secretValue: 'ours' }]
  const { status, body } = await meanwhile(renaming('CREATED_AS', 'CREATED'), () =>
    secrets.batch('PATCH', { mode: 'upsert', secrets: wanted }),
  )
  assert.deepEqual([status, body.secrets?.[0]?.version], [200, 2])
  assert.equal((await secrets.values())['CREATED'], 'ours')
})

test('a secret that gets another name while it is rolled back stays as it is', async () => {
  const { id } = (await secrets.create('NAME', 'first')).body.secret
  await secrets.update('NAME', { secretValue: 'second' })
  const rollBack = () => server.post(`/api/x/secrets/${id}/rollback`, { version: 1 }, { token })
  assert.equal((await meanwhile(renaming('NAME', 'OTHER'), rollBack)).status, 400)
  const { NAME, OTHER } = await secrets.values()
  assert.deepEqual([NAME, OTHER], [undefined, 'second'])
  assert.equal((await rollBack()).status, 200)
  assert.equal((await secrets.values())['OTHER'], 'first')
})

test('secrets are not moved out of a folder that is moved meanwhile', async () => {
  await secrets.folder('moved')
  await secrets.folder('destination')
  const { id } = (await secrets.create('MOVED', 'v', { secretPath: '/moved' })).body.secret
  const body = {
    projectId,
    sourceEnvironment: 'dev',
    sourceSecretPath: '/moved',
    destinationEnvironment: 'dev',
    destinationSecretPath: '/destination',
    secretIds: [id],
  }
  const move = () => server.post('/api/v4/secrets/move', body, { token })
  assert.equal((await meanwhile(moving('/moved', '/elsewhere'), move)).status, 404)
  assert.deepEqual(await secrets.values({ secretPath: '/destination' }), {})
})

test('what a folder imports is not changed while another takes its place', async () => {
  for (const name of ['importing', 'other']) await secrets.folder(name)
  const wanted = { projectId, environment: 'dev', path: '/importing', import: { environment: 'staging', path: '/' } }
  const takePlace = async (tx: Db) => {
    await moving('/importing', '/gone')(tx)
    await moving('/other', '/importing')(tx)
  }
  const answer = await meanwhile(takePlace, () => server.post('/api/v2/secret-imports', wanted, { token }))
  assert.equal(answer.status, 404)
})
