import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { CA } from '../../../../test/test-authorities.ts'
import { lockWaits } from '../../../../test/lock-waits.ts'
import { CERTIFICATES, startCertificateServer } from '../../../../test/test-certificates.ts'
import { auditOf, createIdentity, createOtherOrganization } from '../../../../test/test-projects.ts'
import { serialsOn } from '../../../../test/test-revocations.ts'
import { encodeEntry } from '../revocation/list-entry.ts'
import { readPems } from '../x509/pem.ts'

const { server, admin, token, db, project, pki, member, ruled } = await startCertificateServer()
const caId = await pki.root()
const profileId = await pki.profile({ caId })
const outsider = await createIdentity(server, admin)
const viewer = await member('viewer')
const elsewhere = await createOtherOrganization(server, admin)
const known = await pki.issue(profileId)

const UNKNOWN = '00000000-0000-4000-8000-000000000000'
const REASONS = {
  UNSPECIFIED: 0,
  KEY_COMPROMISE: 1,
  CA_COMPROMISE: 2,
  AFFILIATION_CHANGED: 3,
  SUPERSEDED: 4,
  CESSATION_OF_OPERATION: 5,
  CERTIFICATE_HOLD: 6,
  PRIVILEGE_WITHDRAWN: 9,
  A_A_COMPROMISE: 10,
}

const revoke = (id: string, body: object = {}, as = token) =>
  server.post(`${CERTIFICATES}/${encodeURIComponent(id)}/revoke`, body, { token: as })
const release = (id: string, as = token) => server.post(`/api/x/certificates/${id}/release`, undefined, { token: as })
const read = async (id: string) => (await server.get(`${CERTIFICATES}/${id}`, { token })).body.certificate
const revocationOf = async (serialNumber: string) => {
  const { rows } = await sql<{ reason: number; revokedAt: Date; releasedAt: Date | null }>`
    select reason, revoked_at, released_at from revocations where ca_id = ${caId} and serial_number = ${serialNumber}`.execute(
    db,
  )
  return rows
}

describe('POST /api/v1/cert-manager/certificates/:id/revoke', () => {
  test('200 with the three members of the answer and nothing else', async () => {
    const { certificateId, serialNumber } = await pki.issue(profileId)
    const { status, body, text } = await revoke(certificateId, { revocationReason: 'UNSPECIFIED' })
    assert.equal(status, 200)
    assert.equal(
      text,
      JSON.stringify({ message: 'Successfully revoked certificate', serialNumber, revokedAt: body.revokedAt }),
    )
    assert.match(body.revokedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const { status: shown, revokedAt, revocationReason } = await read(certificateId)
    assert.deepEqual(
      { shown, revokedAt, revocationReason },
      { shown: 'revoked', revokedAt: body.revokedAt, revocationReason: 0 },
    )
  })

  for (const [reason, number] of Object.entries(REASONS)) {
    test(`200 for ${reason}, which is ${number}`, async () => {
      const { certificateId, serialNumber } = await pki.issue(profileId)
      assert.equal((await revoke(certificateId, { revocationReason: reason })).status, 200)
      assert.equal((await read(certificateId)).revocationReason, number)
      assert.deepEqual(
        (await revocationOf(serialNumber)).map((row) => row.reason),
        [number],
      )
    })
  }

  test('200 for an empty object, which means UNSPECIFIED', async () => {
    const { certificateId } = await pki.issue(profileId)
    assert.equal((await revoke(certificateId, {})).status, 200)
    assert.equal((await read(certificateId)).revocationReason, 0)
  })

  test('200 the second time, with the first time and the first reason', async () => {
    const { certificateId } = await pki.issue(profileId)
    const first = await revoke(certificateId, { revocationReason: 'SUPERSEDED' })
    const second = await revoke(certificateId, { revocationReason: 'CESSATION_OF_OPERATION' })
    assert.deepEqual([second.status, second.body], [200, first.body])
    assert.equal((await read(certificateId)).revocationReason, REASONS.SUPERSEDED)
  })

  test('200 raises the reason to KEY_COMPROMISE, and not back', async () => {
    const { certificateId, serialNumber } = await pki.issue(profileId)
    const first = await revoke(certificateId, { revocationReason: 'SUPERSEDED' })
    assert.deepEqual((await revoke(certificateId, { revocationReason: 'KEY_COMPROMISE' })).body, first.body)
    assert.deepEqual((await revoke(certificateId, { revocationReason: 'SUPERSEDED' })).body, first.body)
    const [row] = await revocationOf(serialNumber)
    assert.deepEqual([row?.reason, row?.revokedAt.toISOString()], [1, first.body.revokedAt])
  })

  test('200 by thumbprint and by serial number, however they are written', async () => {
    const ids = [
      ({ fingerprintSha1 }: Shown) => fingerprintSha1,
      ({ fingerprintSha1 }: Shown) => fingerprintSha1.replaceAll(':', '').toLowerCase(),
      ({ fingerprintSha256 }: Shown) => fingerprintSha256,
      ({ fingerprintSha256 }: Shown) => fingerprintSha256.replaceAll(':', ' '),
      ({ serialNumber }: Shown) => serialNumber,
      ({ serialNumber }: Shown) => serialNumber.toUpperCase(),
      ({ serialNumber }: Shown) => `00:${(serialNumber.match(/../g) ?? []).join(':')}`,
      ({ id }: Shown) => id.toUpperCase(),
    ]
    for (const idOf of ids) {
      const { certificateId, serialNumber } = await pki.issue(profileId)
      const answer = await revoke(idOf(await read(certificateId)))
      assert.deepEqual([answer.status, answer.body.serialNumber], [200, serialNumber], idOf.toString())
    }
  })

  test('200 for an expired certificate', async () => {
    const { certificateId } = await pki.issue(profileId, { ttl: '1s' })
    await sql`update certificates set not_after = now() - interval '1 day' where id = ${certificateId}`.execute(db)
    assert.equal((await read(certificateId)).status, 'expired')
    assert.equal((await revoke(certificateId)).status, 200)
    assert.equal((await read(certificateId)).status, 'revoked')
  })

  test('200 for the certificate of an intermediate', async () => {
    const root = await pki.root()
    await pki.intermediate(root)
    const { rows } = await sql<{ id: string; serialNumber: string }>`
      select id, serial_number from certificates where ca_id = ${root} and is_ca`.execute(db)
    assert.equal(rows.length, 1)
    assert.equal((await revoke(rows[0]?.id ?? '')).status, 200)
  })

  test('the revocation outlives the certificate', async () => {
    const { certificateId, serialNumber } = await pki.issue(profileId)
    await revoke(certificateId, { revocationReason: 'KEY_COMPROMISE' })
    assert.equal((await server.delete(`${CERTIFICATES}/${certificateId}`, { token })).status, 200)
    assert.equal((await revocationOf(serialNumber)).length, 1)
    assert.equal((await revoke(certificateId)).status, 404)
  })

  test('is on the last list of an authority that is being deleted, also when another process revokes', async () => {
    const root = await pki.root()
    const { certificateId, serialNumber } = await pki.issue(await pki.profile({ caId: root }))
    const [list] = (await server.get(`${CA}/${root}/crls`, { token })).body
    const { deleted } = await db.transaction().execute(async (tx) => {
      await sql`insert into revocations (ca_id, serial_number, revoked_at, reason, not_after, entry)
        select ca_id, serial_number, now(), 0, not_after, ${encodeEntry({ serialNumber, at: new Date(), reason: 0 })}
        from certificates where id = ${certificateId}`.execute(tx)
      const deleted = server.delete(`${CA}/${root}`, { token })
      await lockWaits(db)
      return { deleted }
    })
    assert.equal((await deleted).status, 200)
    const { text } = await server.get(`/api/v1/cert-manager/crl/${list.id}/pem`)
    const [last = Buffer.alloc(0)] = readPems('X509 CRL', text)
    assert.deepEqual(serialsOn(last), [serialNumber])
  })

  test('200 while its authority is being deleted, which waits', async () => {
    const root = await pki.root()
    const { certificateId } = await pki.issue(await pki.profile({ caId: root }))
    const { revoked, deleted } = await db.transaction().execute(async (tx) => {
      await sql`select from certificates where id = ${certificateId} for update`.execute(tx)
      const revoked = revoke(certificateId)
      await lockWaits(db)
      const deleted = server.delete(`${CA}/${root}`, { token })
      await lockWaits(db, 2)
      return { revoked, deleted }
    })
    assert.deepEqual([(await revoked).status, (await deleted).status], [200, 200])
  })

  test('each call is on record with its reason', async () => {
    const { certificateId, serialNumber } = await pki.issue(profileId, { commonName: 'recorded.example.com' })
    await revoke(certificateId, { revocationReason: 'A_A_COMPROMISE' })
    const rows = await auditOf(db, project.id, 'revoke-cert')
    assert.deepEqual(rows.at(-1)?.eventMetadata, {
      certId: certificateId,
      cn: 'recorded.example.com',
      serialNumber,
      revocationReason: 'A_A_COMPROMISE',
    })
  })

  test('400 for an imported certificate, and 403 for it where one may not', async () => {
    const { certificate, certificateId } = await pki.issue(await pki.profile({ issuerType: 'self-signed' }))
    assert.ok(certificate)
    assert.deepEqual(statusOf(await revoke(certificateId)), [400, 'BadRequest'])
    assert.deepEqual(statusOf(await revoke(certificateId, {}, viewer.token)), [403, 'PermissionDenied'])
  })

  for (const [status, error, reason, id, body, as] of [
    [401, 'UnauthorizedError', 'no token is sent', known.certificateId, {}, undefined],
    [403, 'TokenError', 'the token is no JWT', known.certificateId, {}, 'not-a-jwt'],
    [403, 'ProjectMembershipNotFound', 'the actor is not in the project', known.certificateId, {}, outsider.token],
    [403, 'PermissionDenied', 'the actor may only read', known.certificateId, {}, viewer.token],
    [404, 'NotFound', 'there is no such id', UNKNOWN, {}, token],
    [404, 'NotFound', 'the id is none', 'abc', {}, token],
    [404, 'NotFound', 'the id is nothing at all', 'no such thing!', {}, token],
    [404, 'NotFound', 'no certificate has the thumbprint', 'ab'.repeat(20), {}, token],
    [404, 'NotFound', 'it belongs to another organization', known.certificateId, {}, elsewhere.token],
    [404, 'NotFound', 'its serial number is of another organization', known.serialNumber, {}, elsewhere.token],
    [422, 'ValidationFailure', 'the reason is unknown', known.certificateId, { revocationReason: 'BECAUSE' }, token],
    [
      422,
      'ValidationFailure',
      'the reason is in lower case',
      known.certificateId,
      { revocationReason: 'unspecified' },
      token,
    ],
    [422, 'ValidationFailure', 'the reason is a number', known.certificateId, { revocationReason: 1 }, token],
    [422, 'ValidationFailure', 'the body is a list', known.certificateId, [], token],
    [
      422,
      'ValidationFailure',
      'the body is wrong, before anything is looked up',
      UNKNOWN,
      { revocationReason: 'x' },
      outsider.token,
    ],
  ] as const) {
    test(`${status} ${error} when ${reason}`, async () => {
      const answer = await server.post(`${CERTIFICATES}/${encodeURIComponent(id)}/revoke`, body, { token: as })
      assert.deepEqual(statusOf(answer), [status, error])
      assert.equal('details' in answer.body, error === 'PermissionDenied')
    })
  }

  test('422 without a body, for null, and 415 for a text', async () => {
    for (const [payload, type, status] of [
      ['', undefined, 422],
      ['null', 'application/json', 422],
      ['{}', 'text/plain', 415],
    ] as const) {
      const headers = { authorization: `Bearer ${token}`, ...(type && { 'content-type': type }) }
      const url = `${CERTIFICATES}/${known.certificateId}/revoke`
      const answer = await server.app.http.inject({ method: 'POST', url, headers, ...(payload && { payload }) })
      assert.equal(answer.statusCode, status)
      if (status === 422)
        assert.deepEqual(
          answer.json().message.map(({ path }: { path: unknown }) => path),
          [[]],
        )
    }
    assert.equal((await read(known.certificateId)).status, 'active')
  })
})

describe('rules with conditions', () => {
  for (const [name, conditions, isAllowed] of [
    ['the common name', { commonName: { $glob: 'ruled.*' } }, true],
    ['another common name', { commonName: { $eq: 'other.example.com' } }, false],
    ['an alternative name', { altNames: { $in: ['alt.example.com'] } }, true],
    ['the friendly name', { friendlyName: 'ruled.example.com' }, true],
    ['the status', { status: { $ne: 'active' } }, false],
    ['metadata', { metadata: { $elemMatch: { key: { $eq: 'team' }, value: { $eq: 'a' } } } }, true],
    ['other metadata', { metadata: { $elemMatch: { key: { $eq: 'team' }, value: { $eq: 'b' } } } }, false],
  ] as const) {
    test(`${isAllowed ? 'allow' : 'refuse'} by ${name}`, async () => {
      const rule = { subject: 'certificates', action: ['delete'], conditions }
      const holder = await ruled(rule)
      const altNames = [{ type: 'dns_name', value: 'alt.example.com' }]
      const metadata = [{ key: 'team', value: 'a' }]
      const { certificateId } = await pki.issue(profileId, { commonName: 'ruled.example.com', altNames }, { metadata })
      assert.equal((await revoke(certificateId, {}, holder.token)).status, isAllowed ? 200 : 403)
    })
  }
})

describe('a hold', () => {
  test('is lifted by a release, and the certificate is active again', async () => {
    const { certificateId, serialNumber } = await pki.issue(profileId)
    await revoke(certificateId, { revocationReason: 'CERTIFICATE_HOLD' })
    const answer = await release(certificateId)
    assert.deepEqual(
      [answer.status, answer.body],
      [200, { message: 'Successfully released certificate', serialNumber }],
    )
    const { status, revokedAt, revocationReason } = await read(certificateId)
    assert.deepEqual([status, revokedAt, revocationReason], ['active', null, null])
    assert.ok((await revocationOf(serialNumber))[0]?.releasedAt)
    assert.equal((await auditOf(db, project.id, 'unrevoke-cert')).at(-1)?.eventMetadata['certId'], certificateId)

    assert.equal((await revoke(certificateId, { revocationReason: 'KEY_COMPROMISE' })).status, 200)
    assert.equal((await revocationOf(serialNumber))[0]?.releasedAt, null)
  })

  test('is made final by another reason, and cannot be lifted then', async () => {
    const { certificateId } = await pki.issue(profileId)
    const first = await revoke(certificateId, { revocationReason: 'CERTIFICATE_HOLD' })
    assert.deepEqual((await revoke(certificateId, { revocationReason: 'CERTIFICATE_HOLD' })).body, first.body)
    assert.deepEqual((await revoke(certificateId, { revocationReason: 'SUPERSEDED' })).body, first.body)
    assert.deepEqual(statusOf(await release(certificateId)), [400, 'BadRequest'])
  })

  test('is not made final by a request that gives no reason', async () => {
    const { certificateId } = await pki.issue(profileId)
    const first = await revoke(certificateId, { revocationReason: 'CERTIFICATE_HOLD' })
    assert.deepEqual((await revoke(certificateId, {})).body, first.body)
    assert.equal((await release(certificateId)).status, 200)
  })

  test('400 for what is not held, 403 and 404 as for a revocation', async () => {
    const { certificateId } = await pki.issue(profileId)
    assert.deepEqual(statusOf(await release(certificateId)), [400, 'BadRequest'])
    assert.deepEqual(statusOf(await release(certificateId, viewer.token)), [403, 'PermissionDenied'])
    assert.deepEqual(statusOf(await release(certificateId, elsewhere.token)), [404, 'NotFound'])
    assert.deepEqual(statusOf(await release(UNKNOWN)), [404, 'NotFound'])
  })
})

describe('POST /api/v1/pki/certificates/:serialNumber/revoke', () => {
  const legacy = (serialNumber: string, as = token) =>
    server.post(`/api/v1/pki/certificates/${serialNumber}/revoke`, { revocationReason: 'SUPERSEDED' }, { token: as })

  test('200 by serial number, in any case and with colons', async () => {
    const { serialNumber } = await pki.issue(profileId)
    const first = await legacy(serialNumber)
    assert.deepEqual([first.status, first.body.serialNumber], [200, serialNumber])
    assert.deepEqual((await legacy((serialNumber.toUpperCase().match(/../g) ?? []).join(':'))).body, first.body)
  })

  test('404 for an id, a thumbprint and a serial number of another organization', async () => {
    const { certificateId, serialNumber } = await pki.issue(profileId)
    const { fingerprintSha1 } = await read(certificateId)
    for (const id of [certificateId, fingerprintSha1, 'x']) assert.equal((await legacy(id)).status, 404)
    assert.equal((await legacy(serialNumber, elsewhere.token)).status, 404)
  })
})

describe('many at once', () => {
  test('fifty revocations of one certificate are one', async () => {
    const { certificateId, serialNumber } = await pki.issue(profileId)
    const answers = await Promise.all(Array.from({ length: 50 }, () => revoke(certificateId)))
    assert.deepEqual([...new Set(answers.map(({ status, text }) => `${status} ${text}`))].length, 1)
    assert.equal(answers[0]?.status, 200)
    assert.equal((await revocationOf(serialNumber)).length, 1)
  })

  test('fifty certificates are all revoked', async () => {
    const issued = await Promise.all(Array.from({ length: 50 }, () => pki.issue(profileId)))
    const answers = await Promise.all(issued.map(({ certificateId }) => revoke(certificateId)))
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
    const { rows } = await sql<{ count: string }>`
      select count(*) from revocations where serial_number = any (${issued.map(({ serialNumber }) => serialNumber)})`.execute(
      db,
    )
    assert.equal(Number(rows[0]?.count), 50)
  })
})

type Shown = { id: string; serialNumber: string; fingerprintSha1: string; fingerprintSha256: string }

const statusOf = ({ status, body }: { status: number; body: { error: string } }) => [status, body.error]
