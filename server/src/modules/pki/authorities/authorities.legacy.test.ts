import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { describe, test } from 'node:test'
import { CA, inDays, startPkiServer } from '../../../../test/test-authorities.ts'
import { createProjectMember, fresh, UNKNOWN_ID } from '../../../../test/test-members.ts'
import { createProject } from '../../../../test/test-projects.ts'

const FLAT = '/api/v1/pki/ca'
const NAMED = '/api/v1/pki/ca/internal'
const { server, admin, project, authorities } = await startPkiServer()
const { token } = admin
const reader = await createProjectMember(server, admin, project.id, 'member')

const flatBody = (wish: object = {}) => ({
  projectSlug: project.slug,
  type: 'root',
  commonName: fresh('Flat'),
  organization: '',
  ou: '',
  country: '',
  province: '',
  locality: '',
  keyAlgorithm: 'EC_prime256v1',
  notAfter: inDays(100),
  ...wish,
})
const createFlat = async (wish: object = {}) => (await server.post(FLAT, flatBody(wish), { token })).body.ca

describe(`POST ${FLAT}`, () => {
  test('200 makes an authority and shows it flat', async () => {
    const ca = await createFlat({ commonName: 'Flat root', requireTemplateForIssuance: true })
    const { id, createdAt, updatedAt, name, serialNumber, activeCaCertId, notAfter, ...rest } = ca
    assert.deepEqual(rest, {
      projectId: project.id,
      status: 'active',
      enableDirectIssuance: false,
      parentCaId: null,
      type: 'root',
      friendlyName: 'CN=Flat root',
      organization: '',
      ou: '',
      country: '',
      province: '',
      locality: '',
      commonName: 'Flat root',
      dn: 'CN=Flat root',
      maxPathLength: -1,
      keyAlgorithm: 'EC_prime256v1',
      crlDistributionPointUrls: [],
      disableManagedCrlDistributionPointUrl: false,
      requireTemplateForIssuance: true,
    })
    assert.match(name, /^flat-root-[a-z0-9]{4}$/)
    assert.ok(createdAt && updatedAt && serialNumber && activeCaCertId && notAfter)
    assert.deepEqual((await server.get(`${FLAT}/${id}`, { token })).body, { ca })
  })

  test('404 for an unknown project, 400 for one of another kind, 422 without a name, 403 without the right', async () => {
    const secrets = await createProject(server, token)
    assert.equal((await server.post(FLAT, flatBody({ projectSlug: 'nowhere-at-all' }), { token })).status, 404)
    assert.equal((await server.post(FLAT, flatBody({ projectSlug: secrets.slug }), { token })).status, 400)
    assert.equal((await server.post(FLAT, flatBody({ commonName: '' }), { token })).status, 422)
    assert.equal((await server.post(FLAT, flatBody(), { token: reader.token })).status, 403)
  })
})

describe(`${FLAT}/:caId`, () => {
  test('200 disables and deletes', async () => {
    const { id } = await createFlat()
    const disabled = await server.patch(`${FLAT}/${id}`, { status: 'disabled' }, { token })
    assert.equal(disabled.body.ca.status, 'disabled')
    assert.equal((await server.patch(`${FLAT}/${id}`, { status: 'pending-certificate' }, { token })).status, 422)
    assert.equal((await server.delete(`${FLAT}/${id}`, { token })).body.ca.id, id)
    assert.equal((await server.get(`${FLAT}/${id}`, { token })).status, 404)
  })

  test('200 shows its certificate without an id, to those with a token', async () => {
    const { id, serialNumber, activeCaCertId } = await createFlat()
    const { body } = await server.get(`${FLAT}/${id}/certificate`, { token: reader.token })
    assert.deepEqual(
      [Object.keys(body), body.serialNumber],
      [['certificate', 'certificateChain', 'serialNumber'], serialNumber],
    )
    assert.equal((await server.get(`${FLAT}/${id}/certificate`)).status, 401)
    const versions = await server.get(`${FLAT}/${id}/ca-certificates`, { token: reader.token })
    assert.deepEqual(versions.body, [{ ...body, version: 1 }])
    const der = await server.app.http.inject({ url: `${FLAT}/${id}/certificates/${activeCaCertId}/der` })
    assert.deepEqual(der.rawPayload, new X509Certificate(body.certificate).raw)
    assert.equal((await server.get(`${FLAT}/${id}/crls`, { token })).body.length, 1)
  })

  test('200 renews, signs and imports as the newer paths do', async () => {
    const root = await createFlat()
    const below = await createFlat({ type: 'intermediate', notAfter: undefined })
    const { csr } = (await server.get(`${FLAT}/${below.id}/csr`, { token })).body
    const signed = await server.post(`${FLAT}/${root.id}/sign-intermediate`, { csr, notAfter: inDays(50) }, { token })
    assert.equal(signed.status, 200)
    const { certificate, certificateChain } = signed.body
    const imported = await server.post(
      `${FLAT}/${below.id}/import-certificate`,
      { certificate, certificateChain },
      { token },
    )
    assert.equal(imported.status, 200)
    const renewal = { type: 'existing', notAfter: inDays(200) }
    const renewed = await server.post(`${FLAT}/${root.id}/renew`, renewal, { token })
    assert.deepEqual(Object.keys(renewed.body), ['certificate', 'certificateChain', 'serialNumber'])
  })

  test('404 for an unknown one on every path', async () => {
    for (const path of ['', '/csr', '/certificate', '/ca-certificates', '/crls']) {
      assert.equal((await server.get(`${FLAT}/${UNKNOWN_ID}${path}`, { token })).status, 404, path)
    }
    assert.equal((await server.get(`${FLAT}/${UNKNOWN_ID}/certificates/${UNKNOWN_ID}/der`)).status, 404)
  })
})

describe(NAMED, () => {
  test('200 knows authorities by their names', async () => {
    const body = authorities.body()
    const created = await server.post(NAMED, body, { token })
    assert.equal(created.status, 200)
    const path = `${NAMED}/${body.name}`
    const found = await server.get(`${path}?projectId=${project.id}`, { token: reader.token })
    assert.deepEqual(found.body, (await server.get(`${CA}/${created.body.id}`, { token })).body)
    assert.ok((await server.get(NAMED, { token })).body.some(({ name }: { name: string }) => name === body.name))
    const changed = await server.patch(path, { projectId: project.id, status: 'disabled' }, { token })
    assert.equal(changed.body.status, 'disabled')
    assert.equal((await server.delete(path, { token: reader.token })).status, 403)
    assert.equal((await server.delete(path, { token, body: { projectId: project.id } })).status, 200)
    assert.equal((await server.get(path, { token })).status, 404)
  })
})

describe('lists of older paths', () => {
  test('200 is the list of any kind', async () => {
    await authorities.create()
    const [older, newer] = [
      await server.get('/api/v2/pki/ca', { token: reader.token }),
      await server.get('/api/v1/cert-manager/ca', { token: reader.token }),
    ]
    assert.deepEqual(older.body, newer.body)
  })

  test('200 filters and pages, what changed last first', async () => {
    const commonName = fresh('Twin')
    const [first, second] = [await createFlat({ commonName }), await createFlat({ commonName })]
    await createFlat({ commonName, type: 'intermediate', notAfter: undefined })
    const ids = async (path: string) =>
      (await server.get(path, { token: reader.token })).body.cas.map(({ id }: { id: string }) => id)
    const filter = `commonName=${commonName}&status=active`
    for (const path of [`/api/v1/projects/${project.id}/cas`, `/api/v2/workspace/${project.slug}/cas`]) {
      assert.deepEqual(await ids(`${path}?${filter}`), [second.id, first.id])
      assert.deepEqual(await ids(`${path}?${filter}&offset=1&limit=1`), [first.id])
      assert.deepEqual(
        await ids(`${path}?friendlyName=CN=${commonName}&status=pending-certificate&limit=1`).then((all) => all.length),
        1,
      )
      assert.equal((await server.get(`${path}?limit=101`, { token })).status, 422)
    }
  })
})
