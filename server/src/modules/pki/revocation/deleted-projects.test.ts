import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { lockWaits } from '../../../../test/lock-waits.ts'
import { CA, startPkiServer, TestAuthorities } from '../../../../test/test-authorities.ts'
import { TestPki } from '../../../../test/test-certificates.ts'
import { createProject } from '../../../../test/test-projects.ts'
import { serialsOn } from '../../../../test/test-revocations.ts'
import { newSerialNumber } from '../x509/certificate.ts'
import { readPems } from '../x509/pem.ts'
import { encodeEntry } from './list-entry.ts'

const { server, admin, db } = await startPkiServer()
const { token } = admin

/** A project with authorities, each with the id of its list and the number of a certificate that will be revoked. */
const createAuthorities = async (count: number) => {
  const { id: projectId } = await createProject(server, token, { type: 'cert-manager' })
  const authorities = new TestAuthorities(server, token, projectId)
  const made = []
  for (let number = 0; number < count; number++) {
    const { id: caId } = await authorities.create()
    const [list] = (await server.get(`${CA}/${caId}/crls`, { token })).body
    made.push({ caId, listId: list.id as string, serialNumber: newSerialNumber() })
  }
  return { projectId, made }
}

type Made = Awaited<ReturnType<typeof createAuthorities>>['made']

/** Deletes the project while another process is revoking, which comes to its end first. */
const deleteWhileRevoking = async (projectId: string, made: Made) => {
  const { deleted } = await db.transaction().execute(async (tx) => {
    for (const { caId, serialNumber } of made) {
      await sql`insert into revocations (ca_id, serial_number, revoked_at, reason, not_after, entry)
        values (${caId}, ${serialNumber}, now(), 0, now() + interval '1 year',
          ${encodeEntry({ serialNumber, at: new Date(), reason: 0 })})`.execute(tx)
    }
    const deleted = server.delete(`/api/v1/projects/${projectId}`, { token })
    await lockWaits(db)
    return { deleted }
  })
  return deleted
}

const listed = async (listId: string): Promise<string[]> => {
  const { status, text } = await server.get(`/api/v1/cert-manager/crl/${listId}/pem`)
  assert.equal(status, 200)
  const [last = Buffer.alloc(0)] = readPems('X509 CRL', text)
  return serialsOn(last)
}

describe('when a project is deleted', () => {
  test('what its authorities took back a moment ago is on their last lists, which are served on', async () => {
    const { projectId, made } = await createAuthorities(25)
    assert.equal((await deleteWhileRevoking(projectId, made)).status, 200)
    for (const { listId, serialNumber } of made) assert.deepEqual(await listed(listId), [serialNumber])
  })

  test('what was owed since a process died is on them too', async () => {
    const { projectId, made } = await createAuthorities(1)
    const [authority] = made
    assert.ok(authority)
    const { caId, listId, serialNumber } = authority
    const entry = encodeEntry({ serialNumber, at: new Date(), reason: 0 })
    await sql`insert into revocations (ca_id, serial_number, revoked_at, reason, not_after, entry)
      values (${caId}, ${serialNumber}, now(), 0, now() + interval '1 year', ${entry})`.execute(db)
    assert.equal((await server.delete(`/api/v1/projects/${projectId}`, { token })).status, 200)
    assert.deepEqual(await listed(listId), [serialNumber])
  })

  test('an authority whose key does not open keeps the list it has, and keeps nothing from being deleted', async () => {
    const { projectId, made } = await createAuthorities(2)
    const [broken, sound] = made
    assert.ok(broken && sound)
    await sql`update certificate_authorities set private_key = overlay(private_key placing '\\x0000' from 40)
      where id = ${broken.caId}`.execute(db)
    assert.equal((await deleteWhileRevoking(projectId, made)).status, 200)
    assert.deepEqual([await listed(broken.listId), await listed(sound.listId)], [[], [sound.serialNumber]])
  })
})

test('whoever issues waits for the project first, like whoever deletes it, so that neither waits in a circle', async () => {
  const { id: projectId } = await createProject(server, token, { type: 'cert-manager' })
  const authorities = new TestAuthorities(server, token, projectId)
  const pki = new TestPki({ server, token, projectId, authorities })
  const caId = await pki.root()
  const profileId = await pki.profile({ caId })
  const { issued } = await db.transaction().execute(async (tx) => {
    await sql`select from projects where id = ${projectId} for update`.execute(tx)
    const issued = pki.order(profileId)
    await lockWaits(db)
    await sql`select from certificate_authorities where id = ${caId} for update nowait`.execute(tx)
    await sql`delete from projects where id = ${projectId}`.execute(tx)
    return { issued }
  })
  assert.equal((await issued).status, 400)
})
