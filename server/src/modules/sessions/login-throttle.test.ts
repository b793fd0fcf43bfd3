import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openTestDatabase } from '../../../test/test-database.ts'
import { AppError } from '../../lib/app-error.ts'
import { LoginThrottle } from './login-throttle.service.ts'

const { db } = await openTestDatabase()
const WINDOW_MS = 15 * 60_000
let now = Date.now()
const throttle = new LoginThrottle({ db, clock: { now: () => now } })

const attempt = (account: string, ip: string, isKnownAddress = false) => ({ account, ip, isKnownAddress })
const refusal = async (work: Promise<unknown>): Promise<AppError | undefined> => {
  try {
    await work
    return undefined
  } catch (error) {
    assert.ok(error instanceof AppError && error.kind === 'rate-limited', String(error))
    return error
  }
}
const admitted = async (attempts: { account: string; ip: string; isKnownAddress: boolean }[]) => {
  const outcomes = await Promise.all(attempts.map((one) => refusal(throttle.begin(one))))
  return outcomes.filter((outcome) => outcome === undefined).length
}

describe('attempts to log in', () => {
  test('at one account from one address: ten are admitted, however many come at once', async () => {
    assert.equal(await admitted(Array.from({ length: 40 }, () => attempt('a', '10.0.0.1'))), 10)
    const refused = await refusal(throttle.requireOpen(attempt('a', '10.0.0.1')))
    assert.equal(refused?.retryAfterSeconds, 900)
    assert.equal(await refusal(throttle.requireOpen(attempt('a', '10.0.0.2'))), undefined)
    assert.equal(await refusal(throttle.requireOpen(attempt('b', '10.0.0.1'))), undefined)
  })

  test('that are refused count for nothing, so that nobody is locked out by them', async () => {
    for (let round = 0; round < 10; round++) await refusal(throttle.begin(attempt('a', '10.0.0.1')))
    assert.equal(await admitted(Array.from({ length: 90 }, (_, i) => attempt('a', `10.1.0.${i}`))), 90)
  })

  test('at one account from many addresses: a hundred are admitted, and then those from where its owner has been', async () => {
    assert.equal(await admitted([attempt('a', '10.1.1.1')]), 0)
    assert.equal(await admitted([attempt('a', '10.1.1.1', true)]), 1)
  })

  test('at many accounts from one address: a hundred are admitted', async () => {
    const attempts = Array.from({ length: 110 }, (_, i) => attempt(`account ${i}`, '10.2.0.1'))
    assert.equal(await admitted(attempts), 100)
  })

  test('from an address where much was guessed: those who have been there still come in, ten times each at most', async () => {
    assert.equal(await admitted([attempt('newcomer', '10.2.0.1')]), 0)
    const owner = attempt('owner', '10.2.0.1', true)
    assert.equal(await refusal(throttle.requireOpen(owner)), undefined)
    assert.equal(await admitted(Array.from({ length: 12 }, () => owner)), 10)
    await throttle.succeed(owner)
    assert.equal(await admitted([owner]), 1)
  })

  test('are admitted again when the window has ended, and not a moment before', async () => {
    now += WINDOW_MS - 1
    assert.equal((await refusal(throttle.begin(attempt('a', '10.0.0.1'))))?.retryAfterSeconds, 1)
    now += 1
    assert.equal(await admitted(Array.from({ length: 12 }, () => attempt('a', '10.0.0.1'))), 10)
  })

  test('that were right are taken back', async () => {
    const right = attempt('right', '10.3.0.1')
    for (let round = 0; round < 150; round++) {
      await throttle.begin(right)
      await throttle.succeed(right)
    }
    assert.equal(await refusal(throttle.requireOpen(right)), undefined)
  })

  test('are forgotten when their window has ended', async () => {
    now += WINDOW_MS
    await throttle.purge()
    assert.deepEqual(await db.pool.selectFrom('loginAttempts').select('key').execute(), [])
  })
})
