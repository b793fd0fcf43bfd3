import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { connectTo, createEmptyDatabase, openDatabase, openTestDatabase } from '../../../test/test-database.ts'
import { Keyring } from './keyring.ts'
import { findWrittenWith, judgeRootKeys, verifyRootKey } from './root-key-check.ts'
import { generateRootKeyText, parseRootKey, RootKeyError, RootKeys, type RootKey } from './root-key.ts'
import type { RootKeyRow } from './root-keys.store.ts'
import { checkValueOf } from './wrapping.ts'

const newRoot = (): RootKey => parseRootKey(generateRootKeyText(), 'test')
const holding = (current: RootKey, previous?: RootKey) => new RootKeys({ current, previous })
const rowOf = (root: RootKey, state: RootKeyRow['state']): RootKeyRow => ({
  id: root.id,
  checkValue: checkValueOf(root),
  state,
})
const refused = (pattern: RegExp) => (error: unknown) =>
  error instanceof RootKeyError && pattern.test(error.message) && !error.message.includes('\n')

describe('the check on the first connection', () => {
  test('passes on a database that was never migrated, without writing', async () => {
    const { url, drop } = await createEmptyDatabase()
    const client = await connectTo(url)
    after(async () => {
      await client.end()
      await drop()
    })
    await client.query('set default_transaction_read_only = on')
    await verifyRootKey(client, holding(newRoot()))
    assert.equal(await findWrittenWith(client), undefined)
  })

  test('passes for the right key and refuses a wrong one, without writing', async () => {
    const { db, url } = await openTestDatabase()
    const root = newRoot()
    const client = await connectTo(url)
    after(() => client.end())
    await client.query('set default_transaction_read_only = on')
    await verifyRootKey(client, holding(newRoot()))
    assert.equal(await findWrittenWith(client), undefined)

    await new Keyring({ db, roots: holding(root) }).establish()
    assert.equal(await findWrittenWith(client), root.id)
    await verifyRootKey(client, holding(root))
    await verifyRootKey(client, holding(newRoot(), root))
    await assert.rejects(verifyRootKey(client, holding(newRoot())), refused(/is not the one this database was written/))
    const late = new Keyring({ db, roots: holding(newRoot()) })
    await assert.rejects(late.establish(), refused(/is not the one this database was written/))
  })

  test('lets one of two servers with different keys have a new database', async () => {
    const { db, url } = await openTestDatabase()
    const other = openDatabase(url)
    after(() => other.close())
    const outcomes = await Promise.allSettled(
      [db, other, db, other].map((pool) => new Keyring({ db: pool, roots: holding(newRoot()) }).establish()),
    )
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') assert.ok(refused(/is not the one/)(outcome.reason))
  })
})

describe('the judgement on the root keys held', () => {
  const [first, second, third] = [newRoot(), newRoot(), newRoot()]
  const midway = [rowOf(first, 'retiring'), rowOf(second, 'active')]
  const rotated = [rowOf(first, 'retired'), rowOf(second, 'active')]

  for (const [name, rows, held, active] of [
    ['the key alone', [rowOf(first, 'active')], holding(first), first],
    ['a new key with the present one as previous', [rowOf(first, 'active')], holding(second, first), first],
    ['both keys during a rotation', midway, holding(second, first), second],
    ['both keys after a rotation', rotated, holding(second, first), second],
    ['the new key after a rotation', rotated, holding(second), second],
    ['a third key after a rotation', rotated, holding(third, second), second],
  ] as const) {
    test(`accepts ${name}`, () => assert.equal(judgeRootKeys(rows, held), active))
  }

  for (const [name, rows, held, message] of [
    ['the old key during a rotation', midway, holding(first), /is being replaced by/],
    ['the new key alone during a rotation', midway, holding(second), /set HOLDFAST_ROOT_KEY_PREVIOUS to it and finish/],
    ['a third key during a rotation', midway, holding(third, second), /Some keys are still under the root key/],
    ['the old key after a rotation', rotated, holding(first), /is no longer accepted/],
    ['going back to the old key', rotated, holding(first, second), /has been retired/],
    ['any key on a database without an active one', [rowOf(first, 'retired')], holding(first), /no active root key/],
    ['an exchanged check value', [{ ...rowOf(second, 'active'), id: first.id }], holding(first), /was changed/],
    [
      'an empty check value',
      [{ ...rowOf(first, 'active'), checkValue: Buffer.alloc(0) }],
      holding(first),
      /was changed/,
    ],
  ] as const) {
    test(`refuses ${name}`, () => assert.throws(() => judgeRootKeys(rows, held), refused(message)))
  }
})
