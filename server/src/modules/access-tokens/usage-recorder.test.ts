import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { pino } from 'pino'
import { type Usage, UsageRecorder } from './usage-recorder.ts'

const NEVER_MS = 1_000_000
const log = pino({ level: 'silent' })

/** A recorder whose statements end when the test says so. */
const recorderOf = (periodMs = NEVER_MS) => {
  const written: (readonly Usage[])[] = []
  const running: (() => void)[] = []
  const recorder = new UsageRecorder({
    write: (usages) => {
      written.push(usages)
      return new Promise<void>((resolve) => running.push(resolve))
    },
    log,
    periodMs,
  })
  return { recorder, written, finish: () => running.splice(0).forEach((resolve) => resolve()) }
}

const counts = (usages: readonly Usage[] = []) => Object.fromEntries(usages.map(({ key, count }) => [key, count]))
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('uses that are recorded', () => {
  test('are written at once the first time', () => {
    const { recorder, written, finish } = recorderOf()
    recorder.note('a', 5)
    assert.deepEqual(written, [[{ key: 'a', count: 1, lastAt: new Date(5) }]])
    finish()
  })

  test('are gathered after that, and written on closing', async () => {
    const { recorder, written, finish } = recorderOf()
    for (let at = 1; at <= 1_000; at++) recorder.note('a', at)
    finish()
    await turn()
    assert.equal(written.length, 1)

    const closed = recorder.close()
    finish()
    await closed
    assert.deepEqual(written[1], [{ key: 'a', count: 999, lastAt: new Date(1_000) }])
  })

  test('of others that come while a statement runs share the next one', async () => {
    const { recorder, written, finish } = recorderOf()
    for (const key of ['a', 'b', 'c', 'b']) recorder.note(key, 1)
    finish()
    await turn()
    assert.deepEqual(written.map(counts), [{ a: 1 }, { b: 2, c: 1 }])
    finish()
  })

  test('are written again at the end of each period', async () => {
    const { recorder, written, finish } = recorderOf(5)
    recorder.note('a', 1)
    finish()
    await turn()
    recorder.note('a', 2)
    while (written.length < 2) await new Promise((resolve) => setTimeout(resolve, 1))
    assert.deepEqual(written.map(counts), [{ a: 1 }, { a: 1 }])
    finish()
  })

  test('do not fail those who make them', async () => {
    const recorder = new UsageRecorder({ write: () => Promise.reject(new Error('no database')), log })
    recorder.note('a', 1)
    await recorder.close()
  })
})
