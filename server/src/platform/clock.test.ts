import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { DatabaseClock } from './clock.ts'

const HOUR_MS = 3_600_000
const DATABASE_MS = 1_900_000_000_000

const clockAt = (elapsedMs: number, systemMs = 0) => {
  const time = { elapsedMs, systemMs }
  return {
    time,
    clock: new DatabaseClock(
      () => time.elapsedMs,
      () => time.systemMs,
    ),
  }
}

describe('the clock', () => {
  test('shows the system time until the database has been heard, and is not bound by it', () => {
    const { clock } = clockAt(10, DATABASE_MS + HOUR_MS)
    assert.equal(clock.now(), DATABASE_MS + HOUR_MS)
    clock.observe(DATABASE_MS)
    assert.equal(clock.now(), DATABASE_MS)
  })

  test('carries the database time on with what has elapsed here, whatever the system clock does', () => {
    const { clock, time } = clockAt(500)
    clock.observe(DATABASE_MS)
    time.elapsedMs += 1_234
    time.systemMs += HOUR_MS
    assert.equal(clock.now(), DATABASE_MS + 1_234)
  })

  test('follows the database forward at once', () => {
    const { clock, time } = clockAt(0)
    clock.observe(DATABASE_MS)
    time.elapsedMs = 100
    clock.observe(DATABASE_MS + HOUR_MS)
    assert.equal(clock.now(), DATABASE_MS + HOUR_MS)
  })

  test('goes on at half speed while it is ahead of a database that was set back by an hour, and then agrees', () => {
    const { clock, time } = clockAt(0)
    clock.observe(DATABASE_MS)
    const observeFor = (fromSeconds: number, toSeconds: number) => {
      for (let seconds = fromSeconds; seconds <= toSeconds; seconds++) {
        time.elapsedMs = seconds * 1_000
        clock.observe(DATABASE_MS - HOUR_MS + seconds * 1_000)
        assert.ok(clock.now() >= DATABASE_MS - HOUR_MS + seconds * 1_000, 'never behind the database')
      }
    }
    observeFor(1, 60)
    assert.equal(clock.now(), DATABASE_MS + 30_000)
    observeFor(61, 7_200)
    assert.equal(clock.now(), DATABASE_MS + HOUR_MS)
    observeFor(7_201, 7_300)
    assert.equal(clock.now(), DATABASE_MS - HOUR_MS + 7_300_000)
  })

  test('takes an answer that was long on its way for no step back', () => {
    const { clock, time } = clockAt(0)
    clock.observe(DATABASE_MS)
    time.elapsedMs = 10_000
    clock.observe(DATABASE_MS + 100, 50)
    assert.equal(clock.now(), DATABASE_MS + 10_000)
  })

  test('comes back to a database that runs slower than this machine', () => {
    const { clock, time } = clockAt(0)
    for (let seconds = 0; seconds <= 10_000; seconds++) {
      time.elapsedMs = seconds * 1_000
      clock.observe(DATABASE_MS + seconds * 999.9)
    }
    assert.ok(Math.abs(clock.now() - (DATABASE_MS + 10_000 * 999.9)) <= 2)
  })

  test('never goes back', () => {
    const steps = fc.array(fc.record({ elapsed: fc.nat(2_000), database: fc.integer({ min: -HOUR_MS, max: HOUR_MS }) }))
    fc.assert(
      fc.property(steps, (moves) => {
        const { clock, time } = clockAt(0)
        clock.observe(DATABASE_MS)
        let shown = clock.now()
        for (const { elapsed, database } of moves) {
          time.elapsedMs += elapsed
          const between = clock.now()
          clock.observe(DATABASE_MS + database)
          const after = clock.now()
          assert.ok(shown <= between && between <= after)
          shown = after
        }
      }),
    )
  })
})
