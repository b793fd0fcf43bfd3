import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { lockWaits } from '../../../../test/lock-waits.ts'
import { CERTIFICATES, startCertificateServer } from '../../../../test/test-certificates.ts'

const { server, token, db, pki, ruled } = await startCertificateServer()
const profileId = await pki.profile({ caId: await pki.root() })

const THEIRS = [{ key: 'team', value: 'theirs' }]
const OF_THEIRS = { metadata: { $elemMatch: { key: { $eq: 'team' }, value: { $eq: 'theirs' } } } }

const subject = 'certificates'
const allowed = (action: string[], conditions?: object) => ({ subject, action, ...(conditions && { conditions }) })
const denied = (action: string[], conditions: object) => ({ subject, action, inverted: true, conditions })
const mayIssue = { subject: 'certificate-profiles', action: ['read', 'issue-cert'] }

const path = (id: string, part = '') => `${CERTIFICATES}/${id}${part}`
const keyStatus = async (id: string, as: string) => (await server.get(path(id, '/private-key'), { token: as })).status
const shown = async (id: string) => (await server.get(path(id), { token })).body.certificate
const statusOf = ({ status, body }: { status: number; body: { error: string } }) => [status, body.error]
const REFUSED = [403, 'PermissionDenied']

describe('renewing with the key there is', () => {
  const renew = (id: string, body: object, as: string) => server.post(path(id, '/renew'), body, { token: as })
  const requireNotRenewed = async (id: string) => {
    const { rows } = await sql`select from certificates where renewed_from_certificate_id = ${id}`.execute(db)
    assert.equal(rows.length, 0)
    assert.equal((await shown(id)).renewedByCertificateId, null)
  }

  test('403 when the key is denied by a name that the renewal changes', async () => {
    const theirs = await pki.issue(profileId, { commonName: 'theirs.example.com' })
    const { token: as } = await ruled(
      mayIssue,
      allowed(['read']),
      allowed(['read-private-key'], { commonName: { $glob: 'mine.*' } }),
      denied(['read-private-key'], { commonName: { $eq: 'theirs.example.com' } }),
    )
    const wish = { renewalKeySource: 'reuse', attributes: { commonName: 'mine.example.com' } }
    assert.equal(await keyStatus(theirs.certificateId, as), 403)
    assert.deepEqual(statusOf(await renew(theirs.certificateId, wish, as)), REFUSED)
    await requireNotRenewed(theirs.certificateId)

    const mine = await pki.issue(profileId, { commonName: 'mine.example.com' })
    const renewed = await renew(mine.certificateId, { renewalKeySource: 'reuse' }, as)
    assert.deepEqual([renewed.status, renewed.body.privateKey], [200, mine.privateKey])
  })

  test('403 when the key is denied by a serial number, which every renewal changes', async () => {
    const { certificateId, serialNumber, privateKey } = await pki.issue(profileId)
    const { token: as } = await ruled(
      mayIssue,
      allowed(['read', 'read-private-key']),
      denied(['read-private-key'], { serialNumber: { $eq: serialNumber } }),
    )
    assert.deepEqual(statusOf(await renew(certificateId, { renewalKeySource: 'reuse' }, as)), REFUSED)
    await requireNotRenewed(certificateId)
    const anew = await renew(certificateId, {}, as)
    assert.equal(anew.status, 200)
    assert.notEqual(anew.body.privateKey, privateKey)
  })
})

describe('changing the metadata', () => {
  const patch = (id: string, metadata: object[], as: string) => server.patch(path(id), { metadata }, { token: as })

  test('403 when it would uncover the key', async () => {
    const { certificateId } = await pki.issue(profileId, {}, { metadata: THEIRS })
    const { token: as } = await ruled(
      allowed(['read', 'edit', 'read-private-key']),
      denied(['read-private-key'], OF_THEIRS),
    )
    assert.equal(await keyStatus(certificateId, as), 403)
    for (const metadata of [[], [{ key: 'team', value: 'mine' }]]) {
      assert.deepEqual(statusOf(await patch(certificateId, metadata, as)), REFUSED)
    }
    assert.deepEqual((await shown(certificateId)).metadata, THEIRS)
    assert.equal(await keyStatus(certificateId, as), 403)
    assert.equal((await patch(certificateId, [...THEIRS, { key: 'note', value: 'a' }], as)).status, 200)
  })

  test('403 when it would uncover the certificate', async () => {
    const { certificateId } = await pki.issue(profileId)
    const { token: as } = await ruled(allowed(['edit']), allowed(['read'], OF_THEIRS))
    assert.deepEqual(statusOf(await patch(certificateId, THEIRS, as)), REFUSED)
    assert.deepEqual((await shown(certificateId)).metadata, [])
  })

  test('200 for those who may read no more by it than before', async () => {
    const { certificateId } = await pki.issue(profileId)
    const { token: as } = await ruled(
      allowed(['read', 'edit', 'read-private-key']),
      denied(['read-private-key'], OF_THEIRS),
    )
    assert.equal((await patch(certificateId, THEIRS, as)).status, 200)
    assert.equal(await keyStatus(certificateId, as), 403)
    const { token: editor } = await ruled(allowed(['edit']))
    assert.equal((await patch(certificateId, [], editor)).status, 200)
  })

  test('403 when it is covered while the request is under way', async () => {
    const { certificateId } = await pki.issue(profileId)
    const { token: as } = await ruled(
      allowed(['read', 'edit', 'read-private-key']),
      denied(['read-private-key'], OF_THEIRS),
    )
    const patched = await db.transaction().execute(async (tx) => {
      const metadata = JSON.stringify(THEIRS)
      await sql`update certificates set metadata = ${metadata} where id = ${certificateId}`.execute(tx)
      const answer = patch(certificateId, [], as)
      await lockWaits(db)
      return { answer }
    })
    assert.deepEqual(statusOf(await patched.answer), REFUSED)
    assert.deepEqual((await shown(certificateId)).metadata, THEIRS)
  })
})

describe('changing the status', () => {
  const hold = (id: string, as: string) =>
    server.post(path(id, '/revoke'), { revocationReason: 'CERTIFICATE_HOLD' }, { token: as })
  const release = (id: string, as: string) => server.post(`/api/x/certificates/${id}/release`, undefined, { token: as })
  const kept = (status: string) =>
    ruled(allowed(['read', 'delete', 'read-private-key']), denied(['read-private-key'], { status: { $eq: status } }))

  test('403 when a revocation would uncover the key', async () => {
    const { certificateId } = await pki.issue(profileId)
    const { token: as } = await kept('active')
    assert.deepEqual(statusOf(await hold(certificateId, as)), REFUSED)
    assert.equal((await shown(certificateId)).status, 'active')
  })

  test('403 when a release would uncover the key', async () => {
    const { certificateId } = await pki.issue(profileId)
    const { token: as } = await kept('revoked')
    assert.equal((await hold(certificateId, as)).status, 200)
    assert.deepEqual(statusOf(await release(certificateId, as)), REFUSED)
    assert.equal((await shown(certificateId)).status, 'revoked')
    assert.equal((await release(certificateId, token)).status, 200)
  })
})
