import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Writable } from 'node:stream'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { openDatabase, openTestDatabase } from '../../../test/test-database.ts'
import { TestIssuer } from '../../../test/test-licenses.ts'
import { createIdentity, createOtherOrganization } from '../../../test/test-projects.ts'
import { startServerOn, startTestServer, type TestServer } from '../../../test/test-server.ts'
import { newId } from '../../lib/uuid.ts'
import { createLogger } from '../../platform/logger.ts'

const PATH = '/api/x/license'
const DAY = 86_400_000
const issuer = new TestIssuer()
const TRUST = { HOLDFAST_LICENSE_PUBLIC_KEYS: `${new TestIssuer().publicKey}, ${issuer.publicKey}` }

const server = await startTestServer(TRUST)
const admin = await server.bootstrap()
const other = await createOtherOrganization(server, admin)
const member = await createIdentity(server, admin)
const { token } = admin

const rightOf = (organizationId: string, on: TestServer = server) =>
  on.app.services.licenses.eventSubscriptions(organizationId)
const install = (text: string) => server.post(PATH, { token: text }, { token })

/** What a test installs is gone when it is over. */
const withLicense = async (text: string, work: (license: { id: string }) => Promise<void>) => {
  const { status, body } = await install(text)
  assert.equal(status, 200, JSON.stringify(body))
  await work(body.license)
  assert.equal((await server.delete(`${PATH}/${body.license.id}`, { token })).status, 200)
}

const auditRows = async (type: string) => {
  const db = openDatabase(server.url, 1)
  const { rows } = await sql<{ eventMetadata: Record<string, unknown> }>`
    select event_metadata from audit_logs where event_type = ${type} order by seq`.execute(db.pool)
  await db.close()
  return rows.map(({ eventMetadata }) => eventMetadata)
}

describe('an organization without a licence', () => {
  test('has no right, and is told how to get one', async () => {
    assert.equal(await rightOf(admin.organizationId), undefined)
    await assert.rejects(server.app.services.licenses.requireEventSubscriptions(admin.organizationId), {
      kind: 'bad-request',
      message: /not available on your current plan.*npx holdfast license install.*npx holdfast license issue/,
    })
  })

  test('200 says so to every member', async () => {
    const { status, body } = await server.get(PATH, { token: member.token })
    assert.equal(status, 200)
    const { organizationId } = admin
    assert.deepEqual(body, { organizationId, features: [], eventSubscriptionsEndAt: null, warning: null, licenses: [] })
  })

  test('401 says nothing to others', async () => assert.equal((await server.get(PATH)).status, 401))
})

describe(`POST ${PATH}`, () => {
  test('200 gives the right until the end of the licence, at once, and shows all but its text', async () => {
    const endsAt = Math.floor(Date.now() / 1000) * 1000 + 100 * DAY
    const text = issuer.issue({ endsAt, seats: 7 })
    await withLicense(text, async ({ id }) => {
      assert.deepEqual(await rightOf(admin.organizationId), { endsAt })
      assert.deepEqual(await rightOf(other.organizationId), { endsAt })
      const answer = await server.get(PATH, { token: member.token })
      assert.ok(!answer.text.includes(text))
      assert.deepEqual(answer.body.features, ['event-subscriptions'])
      assert.equal(answer.body.eventSubscriptionsEndAt, new Date(endsAt).toISOString())
      const [{ id: shownId, source, licensee, organizationId, seats, state }] = answer.body.licenses
      assert.deepEqual(
        [shownId, source, licensee, organizationId, seats, state],
        [id, 'installed', 'Acme Inc', null, 7, 'active'],
      )
    })
    assert.equal(await rightOf(admin.organizationId), undefined)
  })

  test('200 changes nothing when it is installed already', async () => {
    const text = issuer.issue()
    await withLicense(text, async ({ id }) => {
      const before = await auditRows('install-license')
      const again = await install(` ${text}\n`)
      assert.deepEqual([again.status, again.body.license.id], [200, id])
      assert.equal((await auditRows('install-license')).length, before.length)
    })
  })

  test('gives nothing to another organization', async () => {
    await withLicense(issuer.issue({ organizationId: other.organizationId }), async () => {
      assert.equal(await rightOf(admin.organizationId), undefined)
      assert.ok(await rightOf(other.organizationId))
      assert.deepEqual((await server.get(PATH, { token })).body.licenses, [])
    })
  })

  test('gives nothing before its time', async () => {
    const startsAt = Date.now() + 5 * DAY
    await withLicense(issuer.issue({ startsAt }), async () => {
      assert.equal(await rightOf(admin.organizationId), undefined)
      assert.equal((await server.get(PATH, { token })).body.licenses[0].state, 'upcoming')
    })
  })

  test('is known to every process within a second, and its removal too', async () => {
    const second = await startServerOn(server.url, TRUST)
    const until = async (isLicensed: boolean) => {
      const startedAt = performance.now()
      while (((await rightOf(admin.organizationId, second)) !== undefined) !== isLicensed) {
        assert.ok(performance.now() - startedAt < 1_000)
      }
    }
    await withLicense(issuer.issue(), () => until(true))
    await until(false)
    await second.stop()
  })

  test('writes down who installed and removed it', async () => {
    let licenseId = ''
    await withLicense(issuer.issue({ licensee: 'Audited' }), async ({ id }) => {
      licenseId = id
      await Promise.resolve()
    })
    const [installed, removed] = [await auditRows('install-license'), await auditRows('remove-license')]
    assert.equal(installed.at(-1)?.['licensee'], 'Audited')
    assert.deepEqual(removed.at(-1), { licenseId, organizationId: '*' })
  })

  for (const [status, error, reason, text, as] of [
    [400, 'BadRequest', 'it is malformed', 'nonsense', token],
    [400, 'BadRequest', 'its key is not trusted', new TestIssuer().issue(), token],
    [400, 'BadRequest', 'it is over', issuer.issue({ startsAt: 0, endsAt: Date.now() - 1_000 }), token],
    [401, 'UnauthorizedError', 'no token is sent', issuer.issue(), undefined],
    [403, 'ForbiddenError', 'the caller is no administrator of the instance', issuer.issue(), member.token],
    [404, 'NotFound', 'its organization is not here', issuer.issue({ organizationId: newId() }), token],
    [422, 'ValidationFailure', 'it is longer than any', 'x'.repeat(5_000), token],
  ] as const) {
    test(`${status} when ${reason}`, async () => {
      const answer = await server.post(PATH, { token: text }, { token: as })
      assert.deepEqual([answer.status, answer.body.error], [status, error])
      assert.equal(await rightOf(admin.organizationId), undefined)
    })
  }

  test('400 when there are twenty already', async () => {
    const ids: string[] = []
    for (let n = 0; n < 20; n++) ids.push((await install(issuer.issue())).body.license.id as string)
    assert.equal((await install(issuer.issue())).status, 400)
    for (const id of ids) await server.delete(`${PATH}/${id}`, { token })
    assert.equal(await rightOf(admin.organizationId), undefined)
  })
})

describe(`DELETE ${PATH}`, () => {
  for (const [status, reason, id, as] of [
    [403, 'the caller is no administrator of the instance', newId(), member.token],
    [404, 'there is none', newId(), token],
    [404, 'the id is malformed', 'x', token],
  ] as const) {
    test(`${status} when ${reason}`, async () =>
      assert.equal((await server.delete(`${PATH}/${id}`, { token: as })).status, status))
  }
})

describe('a licence that ends', () => {
  test('ends by itself, and is warned of from ten days before', async () => {
    const one = await startServerOn(server.url, TRUST)
    const warning = async () => (await one.get(PATH, { token })).body.warning as string | null
    await withLicense(issuer.issue({ endsAt: Date.now() + 12 * DAY }), async () => {
      assert.ok(await rightOf(admin.organizationId, one))
      assert.equal(await warning(), null)
      one.clock.advance(3 * DAY)
      assert.match((await warning()) ?? '', /in 9 days/)
      one.clock.advance(9 * DAY)
      assert.equal(await rightOf(admin.organizationId, one), undefined)
    })
    await one.stop()
  })

  test('is in the log of the servers', async () => {
    const lines: string[] = []
    const sink = new Writable({ write: (chunk: Buffer, _encoding, done) => done(void lines.push(chunk.toString())) })
    const { url } = await openTestDatabase()
    const endsAt = Date.now() + 2 * DAY
    const configured = { ...TRUST, HOLDFAST_LICENSE: issuer.issue({ endsAt }) }
    const one = await startServerOn(url, configured, createLogger('warn', sink))
    await one.app.services.licenses.reminderJob.run()
    assert.match(lines.join(''), /ends on .*in 2 days/)
    assert.match((await one.app.services.licenses.notices()).join(), /ends on .*license install/)
    await one.stop()
  })
})

describe('a licence of the configuration', () => {
  test('counts beside those that are installed, also from a file', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'holdfast-license-'))
    const file = path.join(folder, 'license')
    await writeFile(file, `${issuer.issue({ licensee: 'From a file' })}\n`)
    const one = await startServerOn(server.url, { ...TRUST, HOLDFAST_LICENSE_FILE: file })
    assert.ok(await rightOf(admin.organizationId, one))
    const [{ source, licensee }] = (await one.get(PATH, { token })).body.licenses
    assert.deepEqual([source, licensee], ['configuration', 'From a file'])
    await one.stop()
    await rm(folder, { recursive: true })
  })

  for (const [name, environment] of [
    ['nonsense', { HOLDFAST_LICENSE: 'nonsense' }],
    ['not trusted', { HOLDFAST_LICENSE: new TestIssuer().issue() }],
    ['in a file that is not there', { HOLDFAST_LICENSE_FILE: '/nowhere/license' }],
  ] as const) {
    test(`stops the start in one line when it is ${name}`, () =>
      assert.rejects(startServerOn(server.url, { ...TRUST, ...environment }), { message: /^HOLDFAST_LICENSE[^\n]*$/ }))
  }

  test('lets the server start when it is over', async () => {
    const HOLDFAST_LICENSE = issuer.issue({ startsAt: 0, endsAt: Date.now() - 1_000 })
    const one = await startServerOn(server.url, { ...TRUST, HOLDFAST_LICENSE })
    assert.equal(await rightOf(admin.organizationId, one), undefined)
    await one.stop()
  })
})

describe('the evaluation of an installation with its own database', () => {
  const EMBEDDED = { DATABASE_URL: '' }

  test('lasts 30 days from the first start, however often it is started, by whichever process', async () => {
    const { url } = await openTestDatabase()
    const [one, two] = await Promise.all([startServerOn(url, EMBEDDED), startServerOn(url, EMBEDDED)])
    const { organizationId, token: first } = await one.bootstrap()
    const right = await rightOf(organizationId, one)
    assert.ok(right && Math.abs(right.endsAt - Date.now() - 30 * DAY) < 60_000)
    assert.deepEqual(await rightOf(organizationId, two), right)
    assert.match((await one.app.services.licenses.notices()).join(), /evaluation of 30 days/)
    const { licenses } = (await one.get(PATH, { token: first })).body
    assert.deepEqual([licenses[0].source, licenses[0].state], ['evaluation', 'active'])
    await Promise.all([one.stop(), two.stop()])

    const later = await startServerOn(url, EMBEDDED)
    assert.deepEqual(await rightOf(organizationId, later), right)
    later.clock.advance(30 * DAY)
    assert.equal(await rightOf(organizationId, later), undefined)
    assert.match((await later.app.services.licenses.notices()).join(), /ended on/)
    await later.stop()

    const external = await startServerOn(url)
    assert.equal(await rightOf(organizationId, external), undefined)
    await external.stop()
  })
})
