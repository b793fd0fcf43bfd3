import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { sql } from 'kysely'
import { pino } from 'pino'
import { TestClock } from '../../../test/test-clock.ts'
import { openTestDatabase } from '../../../test/test-database.ts'
import { TestOpenIdProvider } from '../../../test/test-openid-provider.ts'
import { Outbound } from '../../platform/outbound/outbound.ts'
import { ProviderKeys } from './provider-keys.ts'

const { db } = await openTestDatabase()
const clock = new TestClock()
const lines: string[] = []
const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
const outbound = new Outbound({ allowedCidrs: ['127.0.0.1'] })

const keysOf = (refreshMs: number): ProviderKeys => {
  const keys = new ProviderKeys({
    db,
    outbound,
    clock,
    log,
    refreshMs: { min: refreshMs, usual: refreshMs, max: refreshMs },
  })
  after(() => keys.close())
  return keys
}
const kids = (keys: ProviderKeys, { issuer }: TestOpenIdProvider) =>
  keys.find({ discoveryUrl: issuer, caCertificate: '' }, (known) => known.keys.map(({ kid }) => kid))

const until = async (isDone: () => boolean | Promise<boolean>) => {
  const endAt = performance.now() + 5_000
  while (!(await isDone())) {
    assert.ok(performance.now() < endAt, 'in time')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

describe('known keys', () => {
  test('are refreshed in the background, so that nobody has to miss one first', async () => {
    const [provider, keys] = [await TestOpenIdProvider.start(), keysOf(20)]
    assert.deepEqual(await kids(keys, provider), ['first'])
    provider.rotateKeys('second')
    await until(async () => (await kids(keys, provider))?.[0] === 'second')
    keys.close()
  })

  test('stay through an outage, of which the log tells, and are refreshed after it', async () => {
    const [provider, keys] = [await TestOpenIdProvider.start(), keysOf(20)]
    await kids(keys, provider)
    await provider.goAway()
    const linesBefore = lines.length
    await until(() => lines.length > linesBefore + 1)
    assert.match(lines.at(-1) ?? '', /could not be fetched/)
    assert.deepEqual(await kids(keys, provider), ['first'])
    provider.rotateKeys('second')
    await provider.comeBack()
    await until(async () => (await kids(keys, provider))?.[0] === 'second')
    keys.close()
  })

  test('are no longer refreshed when nobody has used them for a day', async () => {
    const [forgotten, used, keys] = [await TestOpenIdProvider.start(), await TestOpenIdProvider.start(), keysOf(20)]
    await kids(keys, forgotten)
    clock.advance(86_400_000)
    await kids(keys, used)
    await until(() => used.keyFetches >= 5)
    const fetches = forgotten.keyFetches
    await until(() => used.keyFetches >= 10)
    assert.equal(forgotten.keyFetches, fetches)
    forgotten.rotateKeys('second')
    assert.deepEqual(await kids(keys, forgotten), ['second'])
    keys.close()
  })

  test('too old to be used are purged', async () => {
    const [provider, keys] = [await TestOpenIdProvider.start(), keysOf(60_000)]
    await kids(keys, provider)
    const count = async () => (await sql`select from oidc_provider_keys`.execute(db.pool)).rows.length
    await keys.purgeJob.run()
    assert.ok((await count()) > 0)
    clock.advance(86_400_001)
    await keys.purgeJob.run()
    assert.equal(await count(), 0)
  })
})
