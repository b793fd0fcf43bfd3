import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CA, DAY_MS, inDays, startPkiServer } from '../../../../test/test-authorities.ts'
import { createProjectMember } from '../../../../test/test-members.ts'
import { auditOf } from '../../../../test/test-projects.ts'

const { server, admin, project, db, authorities } = await startPkiServer()
const { token } = admin
const reader = await createProjectMember(server, admin, project.id, 'member')
const { authorityRenewals } = server.app.services

const settings = (caId: string) => server.get(`${CA}/${caId}/auto-renewal`, { token })
const enable = (caId: string, body: object, as = token) =>
  server.patch(`${CA}/${caId}/auto-renewal`, body, { token: as })

describe('the automatic renewal of an authority', () => {
  test('200 is off until it is wanted', async () => {
    const { id } = await authorities.create()
    const off = {
      autoRenewalEnabled: false,
      autoRenewalDaysBeforeExpiry: null,
      lastRenewalStatus: null,
      lastRenewalMessage: null,
      lastRenewalAt: null,
    }
    assert.deepEqual((await settings(id)).body, off)
    const on = { ...off, autoRenewalEnabled: true, autoRenewalDaysBeforeExpiry: 10 }
    assert.deepEqual((await enable(id, { autoRenewalEnabled: true, autoRenewalDaysBeforeExpiry: 10 })).body, on)
    assert.deepEqual((await settings(id)).body, on)
    assert.deepEqual((await enable(id, { autoRenewalEnabled: false })).body, { ...on, autoRenewalEnabled: false })
  })

  test('422 for days out of bounds, 403 for who may only read', async () => {
    const { id } = await authorities.create()
    for (const days of [0, 366, 1.5]) {
      assert.equal((await enable(id, { autoRenewalDaysBeforeExpiry: days })).status, 422)
    }
    assert.equal((await enable(id, {}, reader.token)).status, 403)
  })

  test('renews what ends soon for as long again, once, and leaves the rest alone', async () => {
    const root = await authorities.create()
    const [soon, later, off] = [
      await authorities.createUnder(root.id, {}, { notAfter: inDays(9), maxPathLength: 0 }),
      await authorities.createUnder(root.id, {}, { notAfter: inDays(90) }),
      await authorities.createUnder(root.id, {}, { notAfter: inDays(9) }),
    ]
    for (const { id } of [soon, later]) await enable(id, { autoRenewalEnabled: true, autoRenewalDaysBeforeExpiry: 10 })
    server.clock.advance(DAY_MS)
    await authorityRenewals.renewDue()
    await authorityRenewals.renewDue()
    const versions = async (id: string) => (await server.get(`${CA}/${id}/ca-certificates`)).body.length as number
    assert.deepEqual([await versions(soon.id), await versions(later.id), await versions(off.id)], [2, 1, 1])
    const { body } = await settings(soon.id)
    assert.equal(body.lastRenewalStatus, 'success')
    const { certId } = await authorities.certificate(soon.id)
    const renewed = await server.get(`${CA}/${soon.id}/certificate/${certId}`)
    assert.equal(renewed.body.maxPathLength, 0)
    const events = await auditOf(db, project.id, 'renew-certificate-authority')
    assert.deepEqual(
      events.map(({ actorType }) => actorType),
      ['platform'],
    )
  })

  test('says why it could not, and tries again after an hour', async () => {
    const root = await authorities.create({ notAfter: inDays(9) })
    // A day has gone by for the server.
    const { id } = await authorities.createUnder(root.id, {}, { notBefore: inDays(1), notAfter: inDays(9) })
    await enable(id, { autoRenewalEnabled: true, autoRenewalDaysBeforeExpiry: 10 })
    await authorityRenewals.renewDue()
    const first = (await settings(id)).body
    assert.equal(first.lastRenewalStatus, 'failed')
    assert.match(first.lastRenewalMessage, /later than/)
    await server.post(`${CA}/${root.id}/renew`, { type: 'existing', notAfter: inDays(400) }, { token })
    await authorityRenewals.renewDue()
    assert.deepEqual((await settings(id)).body, first)
    server.clock.advance(DAY_MS / 12)
    await authorityRenewals.renewDue()
    assert.equal((await settings(id)).body.lastRenewalStatus, 'success')
  })
})
