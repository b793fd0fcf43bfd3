import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { lockWaits } from '../../../test/lock-waits.ts'
import { startSecretServer } from '../../../test/test-secrets.ts'
import type { Answer } from '../../../test/test-server.ts'

const { server, admin, token, db, secrets, projectId } = await startSecretServer()

/** Gives secrets other names, of which one that has begun to write does not know. */
const renameMeanwhile = async (renamings: [string, string][], write: () => Promise<Answer>): Promise<Answer> => {
  const writing = await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtext(${admin.organizationId}), stripe)
      from generate_series(0, 63) as stripe`.execute(tx)
    const answer = write()
    await lockWaits(db)
    for (const [from, to] of renamings) {
      await sql`update secrets s set key = ${to} from folders f
        where f.id = s.folder_id and f.project_id = ${projectId} and s.key = ${from}`.execute(tx)
    }
    return { answer }
  })
  return writing.answer
}

test('an upsert changes what someone else creates meanwhile', async () => {
  await secrets.create('CREATED_AS', 'theirs')
  const wanted = [{ secretKey: 'CREATED', secretValue: 'ours' }]
  const { status, body } = await renameMeanwhile([['CREATED_AS', 'CREATED']], () =>
    secrets.batch('PATCH', { mode: 'upsert', secrets: wanted }),
  )
  assert.deepEqual([status, body.secrets?.[0]?.version], [200, 2])
  assert.equal((await secrets.values())['CREATED'], 'ours')
})

test('a secret that gets another name while it is rolled back stays as it is', async () => {
  const { id } = (await secrets.create('NAME', 'first')).body.secret
  await secrets.update('NAME', { secretValue: 'second' })
  const rollBack = () => server.post(`/api/x/secrets/${id}/rollback`, { version: 1 }, { token })
  assert.equal((await renameMeanwhile([['NAME', 'OTHER']], rollBack)).status, 400)
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
  const { answer } = await db.transaction().execute(async (tx) => {
    await sql`update folders set path = '/elsewhere', name = 'elsewhere'
      where project_id = ${projectId} and path = '/moved'`.execute(tx)
    const moving = server.post('/api/v4/secrets/move', body, { token })
    await lockWaits(db)
    return { answer: moving }
  })
  assert.equal((await answer).status, 404)
  assert.deepEqual(await secrets.values({ secretPath: '/destination' }), {})
})
