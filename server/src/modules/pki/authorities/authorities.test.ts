import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CA, inDays, startPkiServer } from '../../../../test/test-authorities.ts'
import { createProjectMember, fresh, UNKNOWN_ID } from '../../../../test/test-members.ts'
import { createMemberWithRules } from '../../../../test/test-privileges.ts'
import { auditOf, createIdentity, createOtherOrganization, createProject } from '../../../../test/test-projects.ts'

const { server, admin, project, db, authorities } = await startPkiServer()
const { token } = admin
const other = await createOtherOrganization(server, admin)
const outsider = await createIdentity(server, admin)
const viewer = await createProjectMember(server, admin, project.id, 'member')
/** A member that may do just this. */
const memberWith = (rule: Parameters<typeof createMemberWithRules>[2][number]) =>
  createMemberWithRules(server, { admin, db, projectId: project.id }, [rule])

describe(`POST ${CA}`, () => {
  test('200 makes a root that has its certificate at once when its end is known', async () => {
    const body = authorities.body({ maxPathLength: 2, ou: 'Security', country: 'CH' }, 'first-root')
    const answer = await server.post(CA, body, { token })
    assert.equal(answer.status, 200)
    const { id, configuration, ...rest } = answer.body
    assert.deepEqual(rest, {
      projectId: project.id,
      name: 'first-root',
      status: 'active',
      enableDirectIssuance: false,
      type: 'internal',
    })
    const { serialNumber, activeCaCertId, ...settings } = configuration
    assert.deepEqual(settings, {
      type: 'root',
      friendlyName: 'C=CH,O=Acme,OU=Security,CN=first-root',
      commonName: 'first-root',
      organization: 'Acme',
      ou: 'Security',
      country: 'CH',
      province: '',
      locality: '',
      notAfter: body.configuration.notAfter,
      maxPathLength: 2,
      keyAlgorithm: 'EC_prime256v1',
      dn: 'C=CH,O=Acme,OU=Security,CN=first-root',
      parentCaId: null,
      crlDistributionPointUrls: [],
      disableManagedCrlDistributionPointUrl: false,
    })
    assert.match(serialNumber, /^[0-9a-f]{32}$/)
    assert.ok(activeCaCertId)
    const [created] = await auditOf(db, project.id, 'create-certificate-authority')
    assert.deepEqual(created?.eventMetadata, {
      name: 'first-root',
      caId: id,
      keySource: 'infisical',
      hsmConnectorId: null,
    })
  })

  test('200 leaves one without a certificate pending, whatever status was sent', async () => {
    for (const wish of [{ type: 'intermediate' as const }, { notAfter: undefined }]) {
      const { status, configuration } = await authorities.create(wish)
      assert.deepEqual(
        [status, configuration.serialNumber, configuration['maxPathLength']],
        ['pending-certificate', null, -1],
      )
    }
  })

  test('200 keeps the private key sealed', async () => {
    const { id } = await authorities.create()
    const row = await db
      .selectFrom('certificateAuthorities')
      .select(['privateKey', 'publicKey'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    assert.notEqual(row.privateKey[0], 0x30)
    assert.equal(row.publicKey[0], 0x30)
  })

  test('200 finds the only project for certificates by itself', async () => {
    const { projectId, ...body } = authorities.body()
    const answer = await server.post(CA, body, { token })
    assert.deepEqual([answer.status, answer.body.projectId], [200, projectId])
  })

  test('400 when the name is taken, also by one that is made at the same time', async () => {
    const body = authorities.body({}, 'wanted')
    const answers = await Promise.all([1, 2, 3].map(() => server.post(CA, body, { token })))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400])
  })

  for (const [reason, wish] of [
    ['keys are post-quantum', { keyAlgorithm: 'ML-DSA-65' }],
    ['keys would be in hardware', { keySource: 'hsm' }],
    ['it would have ended already', { notAfter: '2020-01-01' }],
    ['it would end before it begins', { notBefore: inDays(20), notAfter: inDays(10) }],
    ['the distinguished name is too long', { commonName: 'x'.repeat(150), organization: 'y'.repeat(150) }],
    ['the name holds control characters', { commonName: 'a\u0000b' }],
  ] as const) {
    test(`400 when ${reason}`, async () => {
      const answer = await server.post(CA, authorities.body(wish), { token })
      assert.deepEqual([answer.status, answer.body.error], [400, 'BadRequest'])
    })
  }

  for (const [reason, wish] of [
    ['no part of the distinguished name is given', { commonName: ' ', organization: '' }],
    ['the key algorithm is unknown', { keyAlgorithm: 'RSA_1024' }],
    ['the date is none', { notAfter: 'soon' }],
    ['the path length is below -1', { maxPathLength: -2 }],
    [
      'the URLs of the list are the same',
      { crlDistributionPointUrls: ['http://a.example/x', 'http://a.example:80/x'] },
    ],
    ['a URL of the list is neither http nor https', { crlDistributionPointUrls: ['ldap://a.example/x'] }],
    [
      'there are five URLs of the list',
      { crlDistributionPointUrls: [1, 2, 3, 4, 5].map((n) => `http://${n}.example/`) },
    ],
  ] as const) {
    test(`422 when ${reason}`, async () => {
      const answer = await server.post(CA, authorities.body(wish), { token })
      assert.deepEqual([answer.status, answer.body.error], [422, 'ValidationFailure'])
    })
  }

  test('422 when the name is no slug', async () => {
    const answer = await server.post(CA, authorities.body({}, 'Not a slug'), { token })
    assert.deepEqual(answer.body.message[0].path, ['name'])
  })

  test('401 without a token, 403 for who is not in the project and for who may only read', async () => {
    const body = authorities.body()
    assert.equal((await server.post(CA, body)).status, 401)
    const refused = await server.post(CA, body, { token: outsider.token })
    assert.deepEqual([refused.status, refused.body.error], [403, 'ProjectMembershipNotFound'])
    const denied = await server.post(CA, body, { token: viewer.token })
    assert.deepEqual([denied.status, denied.body.error], [403, 'PermissionDenied'])
  })

  test('400 in a project that is not there, of another kind or of another organization', async () => {
    const secrets = await createProject(server, token)
    const elsewhere = await createProject(server, other.token, { type: 'cert-manager' })
    for (const projectId of [UNKNOWN_ID, 'nonsense', secrets.id, elsewhere.id]) {
      const answer = await server.post(CA, { ...authorities.body(), projectId }, { token })
      assert.deepEqual([answer.status, answer.body.error], [400, 'BadRequest'])
    }
  })

  test('403 unless the rule names it', async () => {
    const rule = {
      subject: 'certificate-authorities',
      action: ['create', 'read'],
      conditions: { name: { $glob: 'team-*' } },
    }
    const member = await memberWith(rule)
    const create = (name: string) => server.post(CA, authorities.body({}, name), { token: member.token })
    assert.equal((await create(fresh('team'))).status, 200)
    assert.equal((await create(fresh('elsewhere'))).status, 403)
    const listed = await server.get(`${CA}?projectId=${project.id}`, { token: member.token })
    assert.ok(listed.body.length > 0 && listed.body.every(({ name }: { name: string }) => name.startsWith('team-')))
  })
})

describe('reading', () => {
  test('200 lists authorities bare, and under their name among those of any kind', async () => {
    const { id } = await authorities.create()
    const bare = await server.get(CA, { token: viewer.token })
    const wrapped = await server.get('/api/v1/cert-manager/ca', { token: viewer.token })
    assert.deepEqual(wrapped.body, { certificateAuthorities: bare.body })
    assert.ok(bare.body.some((ca: { id: string }) => ca.id === id))
  })

  test('200 shows one with where its key is kept', async () => {
    const created = await authorities.create()
    const answer = await server.get(`${CA}/${created.id}`, { token: viewer.token })
    const keys = { keySource: 'infisical', hsmConnectorId: null, hsmKeyLabel: null }
    assert.deepEqual(answer.body, { ...created, configuration: { ...created.configuration, ...keys } })
    assert.equal((await auditOf(db, project.id, 'get-certificate-authority')).length, 1)
  })

  test('404 for one that is unknown, malformed or of another organization; 403 outside the project', async () => {
    const { id } = await authorities.create()
    for (const [path, as] of [
      [UNKNOWN_ID, token],
      ['nonsense', token],
      [id, other.token],
    ] as const) {
      const answer = await server.get(`${CA}/${path}`, { token: as })
      assert.deepEqual([answer.status, answer.body.error], [404, 'NotFound'])
    }
    const refused = await server.get(`${CA}/${id}`, { token: outsider.token })
    assert.deepEqual([refused.status, refused.body.error], [403, 'ProjectMembershipNotFound'])
  })
})

describe(`PATCH ${CA}/:id`, () => {
  test('200 changes name, status and where the list is found', async () => {
    const { id } = await authorities.create()
    const urls = ['http://crl.example.com/a', 'https://crl.example.com/b']
    const name = fresh('renamed')
    const body = {
      name,
      status: 'disabled',
      configuration: { crlDistributionPointUrls: urls, disableManagedCrlDistributionPointUrl: true },
    }
    const answer = await server.patch(`${CA}/${id}`, body, { token })
    assert.deepEqual([answer.status, answer.body.name, answer.body.status], [200, name, 'disabled'])
    assert.deepEqual(answer.body.configuration.crlDistributionPointUrls, urls)
    const again = await server.patch(`${CA}/${id}`, { status: 'active' }, { token })
    assert.deepEqual([again.body.status, again.body.name], ['active', name])
    assert.equal((await auditOf(db, project.id, 'update-certificate-authority')).length, 2)
  })

  test('200 changes nothing when nothing is sent', async () => {
    const created = await authorities.create()
    const answer = await server.patch(`${CA}/${created.id}`, {}, { token })
    assert.deepEqual(answer.body, created)
  })

  test('400 when the name is taken, when it has no certificate to be active with, and for a status that is not chosen', async () => {
    const [one, two] = [await authorities.create(), await authorities.create({ type: 'intermediate' })]
    for (const body of [{ name: one.name }, { status: 'active' }]) {
      assert.equal((await server.patch(`${CA}/${two.id}`, body, { token })).status, 400)
    }
    assert.equal((await server.patch(`${CA}/${one.id}`, { status: 'pending-certificate' }, { token })).status, 400)
  })

  test('403 for who may only read, 404 elsewhere, 422 for an unknown status', async () => {
    const { id } = await authorities.create()
    assert.equal((await server.patch(`${CA}/${id}`, {}, { token: viewer.token })).status, 403)
    assert.equal((await server.patch(`${CA}/${id}`, {}, { token: other.token })).status, 404)
    assert.equal((await server.patch(`${CA}/${id}`, { status: 'gone' }, { token })).status, 422)
  })

  test('403 when a rename would leave what the rule allows', async () => {
    const rule = { subject: 'certificate-authorities', action: ['edit'], conditions: { name: { $glob: 'team-*' } } }
    const member = await memberWith(rule)
    const { id } = await authorities.create({}, fresh('team'))
    const rename = (name: string) => server.patch(`${CA}/${id}`, { name }, { token: member.token })
    assert.equal((await rename(fresh('mine'))).status, 403)
    assert.equal((await rename(fresh('team'))).status, 200)
  })
})

describe(`DELETE ${CA}/:id`, () => {
  test('200 takes it away; its last list is still served', async () => {
    const created = await authorities.create()
    const [list] = (await server.get(`${CA}/${created.id}/crls`, { token })).body
    assert.match(list.crl, /^-----BEGIN X509 CRL-----\n/)
    const answer = await server.delete(`${CA}/${created.id}`, { token })
    assert.deepEqual([answer.status, answer.body], [200, created])
    assert.equal((await server.get(`${CA}/${created.id}`, { token })).status, 404)
    assert.equal((await server.get(`/api/v1/cert-manager/crl/${list.id}/der`)).status, 200)
    assert.equal((await auditOf(db, project.id, 'delete-certificate-authority')).length, 1)
  })

  test('200 also while something that it signed is valid: clients that tear down never revoke first', async () => {
    const root = await authorities.create()
    await authorities.createUnder(root.id)
    assert.equal((await server.delete(`${CA}/${root.id}`, { token })).status, 200)
  })

  test('403 for who may only read, 404 for an unknown one', async () => {
    const { id } = await authorities.create()
    assert.equal((await server.delete(`${CA}/${id}`, { token: viewer.token })).status, 403)
    assert.equal((await server.delete(`${CA}/${UNKNOWN_ID}`, { token })).status, 404)
  })
})
