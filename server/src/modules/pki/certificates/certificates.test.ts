import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { CERTIFICATES, type IssuedBody, PROFILES, startCertificateServer } from '../../../../test/test-certificates.ts'
import { auditOf, createIdentity, createOtherOrganization } from '../../../../test/test-projects.ts'

const { server, admin, token, db, project, pki, member, ruled } = await startCertificateServer()
const caId = await pki.intermediate(await pki.root())
const profileId = await pki.profile({ caId })
const known = await pki.issue(profileId, { commonName: 'known.example.com' })
const outsider = await createIdentity(server, admin)
const viewer = await member('viewer')
const elsewhere = await createOtherOrganization(server, admin)

const UNKNOWN = '00000000-0000-4000-8000-000000000000'
const LEGACY = '/api/v1/pki/certificates'
const get = (path: string, as: string | undefined = token) => server.get(path, { token: as })
const statusOf = ({ status, body }: { status: number; body: { error: string } }) => [status, body.error]
const metadataOf = async (type: string) => (await auditOf(db, project.id, type)).at(-1)?.eventMetadata['certId']

const READS = ['', '/certificate', '/bundle', '/private-key']

describe('what nobody else may see', () => {
  for (const part of READS) {
    const path = `${CERTIFICATES}/${known.certificateId}${part}`
    for (const [status, error, reason, as] of [
      [401, 'UnauthorizedError', 'no token is sent', ''],
      [403, 'ProjectMembershipNotFound', 'the actor is not in the project', outsider.token],
      [404, 'NotFound', 'it belongs to another organization', elsewhere.token],
    ] as const) {
      test(`GET /certificates/:id${part}: ${status} when ${reason}`, async () => {
        assert.deepEqual(statusOf(await server.get(path, as ? { token: as } : {})), [status, error])
      })
    }

    test(`GET /certificates/:id${part}: 404 for an unknown id`, async () => {
      assert.deepEqual(statusOf(await get(`${CERTIFICATES}/${UNKNOWN}${part}`)), [404, 'NotFound'])
    })
  }

  test('a viewer reads the certificate, and not its key', async () => {
    for (const [part, status] of [
      ['', 200],
      ['/certificate', 200],
      ['/bundle', 403],
      ['/private-key', 403],
    ] as const) {
      assert.equal((await get(`${CERTIFICATES}/${known.certificateId}${part}`, viewer.token)).status, status, part)
    }
  })

  test('whoever may read keys only reads no bundle', async () => {
    const holder = await ruled({ subject: 'certificates', action: ['read-private-key'] })
    assert.equal((await get(`${CERTIFICATES}/${known.certificateId}/bundle`, holder.token)).status, 403)
    assert.equal((await get(`${CERTIFICATES}/${known.certificateId}/private-key`, holder.token)).status, 200)
  })
})

describe('GET /api/v1/cert-manager/certificates/:id', () => {
  test('200 and it is on record', async () => {
    const { status, body } = await get(`${CERTIFICATES}/${known.certificateId}`)
    assert.deepEqual([status, body.certificate.commonName], [200, 'known.example.com'])
    assert.equal(await metadataOf('get-cert'), known.certificateId)
  })

  test('422 for what is no id', async () => {
    assert.deepEqual(statusOf(await get(`${CERTIFICATES}/x`)), [422, 'ValidationFailure'])
  })

  test('200 says when it has expired', async () => {
    const { certificateId } = await pki.issue(profileId, { ttl: '1h' })
    const later = { commonName: 'x', ttl: '2h' }
    assert.equal((await get(`${CERTIFICATES}/${certificateId}`)).body.certificate.status, 'active')
    await sql`update certificates set not_after = now() where id = ${certificateId}`.execute(db)
    assert.equal((await get(`${CERTIFICATES}/${certificateId}`)).body.certificate.status, 'expired')
    assert.equal((await pki.order(profileId, later)).status, 200)
  })
})

describe('the certificate and its key', () => {
  test('200 with the certificate and its chain', async () => {
    const { status, body } = await get(`${CERTIFICATES}/${known.certificateId}/certificate`)
    const { certificate, certificateChain, serialNumber } = known
    assert.deepEqual([status, body], [200, { certificate, certificateChain, serialNumber }])
    assert.equal(await metadataOf('get-cert-body'), known.certificateId)
  })

  test('200 with the private key, which nobody may keep', async () => {
    const { status, body, headers } = await get(`${CERTIFICATES}/${known.certificateId}/bundle`)
    const { certificate, certificateChain, serialNumber, privateKey } = known
    assert.deepEqual([status, body], [200, { certificate, certificateChain, privateKey, serialNumber }])
    requireNotKept(headers)
    assert.equal(await metadataOf('get-cert-bundle'), known.certificateId)
  })

  test('200 with the bare private key as text', async () => {
    const { status, text, headers } = await get(`${CERTIFICATES}/${known.certificateId}/private-key`)
    assert.deepEqual([status, text, headers['content-type']], [200, known.privateKey, 'text/plain; charset=utf-8'])
    requireNotKept(headers)
    assert.equal(await metadataOf('get-cert-private-key'), known.certificateId)
  })

  test('the key is sealed where it is kept', async () => {
    const { rows } = await sql<{ privateKey: Buffer }>`
      select private_key from certificates where id = ${known.certificateId}`.execute(db)
    const der = Buffer.from(known.privateKey.replace(/-----[^-]+-----|\s/g, ''), 'base64')
    assert.equal(rows[0]?.privateKey.includes(der.subarray(-32)), false)
  })

  test('the same by serial number on the older paths', async () => {
    const { certificate, certificateChain, serialNumber, privateKey } = known
    const path = `${LEGACY}/${serialNumber.toUpperCase()}`
    assert.equal((await get(path)).body.certificate.id, known.certificateId)
    assert.deepEqual((await get(`${path}/certificate`)).body, { certificate, certificateChain, serialNumber })
    assert.equal((await get(`${path}/bundle`)).body.privateKey, privateKey)
    assert.equal((await get(`${path}/private-key`)).text, privateKey)
    for (const part of READS) {
      assert.equal((await get(`${LEGACY}/${known.certificateId}${part}`)).status, 404)
      assert.equal((await get(`${path}${part}`, elsewhere.token)).status, 404)
    }
  })
})

describe('PATCH /api/v1/cert-manager/certificates/:id', () => {
  const patch = (body: object, as = token) =>
    server.patch(`${CERTIFICATES}/${known.certificateId}`, body, { token: as })

  test('200 with the metadata that there are now', async () => {
    const metadata = [{ key: 'team', value: 'a' }, { key: 'note' }]
    const expected = {
      metadata: [
        { key: 'team', value: 'a' },
        { key: 'note', value: '' },
      ],
    }
    assert.deepEqual((await patch({ metadata })).body, expected)
    assert.deepEqual((await patch({})).body, expected)
    assert.deepEqual((await get(`${CERTIFICATES}/${known.certificateId}`)).body.certificate.metadata, expected.metadata)
  })

  test('403 for metadata that would take the certificate out of reach', async () => {
    const conditions = { metadata: { $elemMatch: { key: { $eq: 'team' }, value: { $eq: 'a' } } } }
    const editor = await ruled({ subject: 'certificates', action: ['edit'], conditions })
    assert.equal((await patch({ metadata: [{ key: 'team', value: 'b' }] }, editor.token)).status, 403)
    assert.equal((await patch({ metadata: [{ key: 'team', value: 'a' }] }, editor.token)).status, 200)
  })

  test('403 for a viewer and 422 for a key without a name', async () => {
    assert.equal((await patch({ metadata: [] }, viewer.token)).status, 403)
    assert.equal((await patch({ metadata: [{ key: '' }] })).status, 422)
  })
})

describe('DELETE /api/v1/cert-manager/certificates/:id', () => {
  test('200 with the record, then 404', async () => {
    const { certificateId } = await pki.issue(profileId)
    const path = `${CERTIFICATES}/${certificateId}`
    assert.equal((await server.delete(path, { token: viewer.token })).status, 403)
    const { status, body } = await server.delete(path, { token })
    assert.deepEqual([status, body.certificate.id, body.certificate.status], [200, certificateId, 'active'])
    assert.equal(await metadataOf('delete-cert'), certificateId)
    assert.deepEqual(statusOf(await server.delete(path, { token })), [404, 'NotFound'])
  })

  test('200 by serial number', async () => {
    const { serialNumber } = await pki.issue(profileId)
    assert.equal((await server.delete(`${LEGACY}/${serialNumber}`, { token })).status, 200)
    assert.equal((await server.delete(`${LEGACY}/${serialNumber}`, { token })).status, 404)
  })
})

describe('PATCH /api/v1/cert-manager/certificates/:id/config', () => {
  const config = (id: string, body: object, as = token) =>
    server.patch(`${CERTIFICATES}/${id}/config`, body, { token: as })

  test('200 sets and takes away the days before the end', async () => {
    const days = await config(known.certificateId, { renewBeforeDays: 7 })
    assert.deepEqual([days.status, days.body.renewBeforeDays], [200, 7])
    assert.equal((await get(`${CERTIFICATES}/${known.certificateId}`)).body.certificate.renewBeforeDays, 7)
    const none = await config(known.certificateId, { enableAutoRenewal: false })
    assert.deepEqual([none.status, 'renewBeforeDays' in none.body], [200, false])
    assert.equal((await get(`${CERTIFICATES}/${known.certificateId}`)).body.certificate.renewBeforeDays, null)
  })

  test('200 takes the days of the profile, 400 where it says none', async () => {
    const profile = await pki.profile({ caId, apiConfig: { autoRenew: false, renewBeforeDays: 5 } })
    const { certificateId } = await pki.issue(profile)
    assert.equal((await config(certificateId, { enableAutoRenewal: true })).body.renewBeforeDays, 5)
    assert.equal((await config(known.certificateId, { enableAutoRenewal: true })).status, 400)
  })

  test('422 for days that are to count for nothing, 403 for a viewer', async () => {
    assert.equal((await config(known.certificateId, { renewBeforeDays: 3, enableAutoRenewal: false })).status, 422)
    assert.equal((await config(known.certificateId, { renewBeforeDays: 31 })).status, 422)
    assert.equal((await config(known.certificateId, { renewBeforeDays: 3 }, viewer.token)).status, 403)
  })
})

describe('what was issued from a profile', () => {
  test('200 newest first, and the bundle of the newest that is active', async () => {
    const profile = await pki.profile({ caId })
    const path = `${PROFILES}/${profile}/certificates`
    const none = { certificate: null, certificateChain: null, privateKey: null, serialNumber: null }
    assert.deepEqual((await get(`${path}/latest-active-bundle`)).body, none)
    const first = await pki.issue(profile)
    const second = await pki.issue(profile)
    await server.post(`${CERTIFICATES}/${second.certificateId}/revoke`, {}, { token })
    const serials = ({ body }: { body: { certificates: IssuedBody[] } }) =>
      body.certificates.map((row) => row.serialNumber)
    assert.deepEqual(serials(await get(path)), [second.serialNumber, first.serialNumber])
    assert.deepEqual(serials(await get(`${path}?status=active`)), [first.serialNumber])
    assert.deepEqual(serials(await get(`${path}?status=revoked&limit=1`)), [second.serialNumber])
    assert.deepEqual(serials(await get(`${path}?search=${first.serialNumber}`)), [first.serialNumber])
    assert.equal((await get(`${path}/latest-active-bundle`)).body.privateKey, first.privateKey)
    assert.equal((await get(`${path}/latest-active-bundle`, viewer.token)).status, 403)
    assert.ok(new X509Certificate(first.certificate))
  })

  test('200 with what one may read, however much newer there is that one may not', async () => {
    const profile = await pki.profile({ caId })
    const path = `${PROFILES}/${profile}/certificates`
    const mine = await pki.issue(profile, { commonName: 'mine.example.com' })
    await pki.issue(profile, { commonName: 'theirs.example.com' })
    const conditions = { commonName: { $eq: 'mine.example.com' } }
    const narrow = await ruled(
      { subject: 'certificate-profiles', action: ['read'] },
      { subject: 'certificates', action: ['read', 'read-private-key'], conditions },
    )
    const page = await get(`${path}?limit=1`, narrow.token)
    assert.deepEqual([page.status, page.body.certificates[0]?.serialNumber], [200, mine.serialNumber])
    const latest = await get(`${path}/latest-active-bundle`, narrow.token)
    assert.deepEqual([latest.status, latest.body.serialNumber], [200, mine.serialNumber])
  })
})

const requireNotKept = (headers: Record<string, unknown>) => {
  assert.equal(headers['cache-control'], 'no-store, no-cache, must-revalidate, proxy-revalidate')
  assert.deepEqual([headers['pragma'], headers['expires'], headers['surrogate-control']], ['no-cache', '0', 'no-store'])
}
