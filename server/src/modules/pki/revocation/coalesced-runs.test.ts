import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CoalescedRuns } from './coalesced-runs.ts'

/** Work that ends when told to. */
const stepwise = () => {
  const begun: { key: string; end: () => void }[] = []
  const runs = new CoalescedRuns((key) => new Promise((resolve) => begun.push({ key, end: () => resolve() })))
  return { runs, begun }
}

describe('coalesced runs', () => {
  test('let all who ask during a run share the next one', async () => {
    const { runs, begun } = stepwise()
    const first = runs.request('a')
    const others = Array.from({ length: 100 }, () => runs.request('a'))
    assert.equal(begun.length, 1)
    assert.equal(new Set(others).size, 1)
    begun[0]?.end()
    await first
    let isDone = false
    const all = Promise.all(others).then(() => (isDone = true))
    const hasBegunTwice = () => begun.length === 2
    while (!hasBegunTwice()) await new Promise((resolve) => setImmediate(resolve))
    assert.equal(isDone, false)
    begun[1]?.end()
    await all
    assert.equal(begun.length, 2)
    assert.equal(runs.latest('a'), undefined)
  })

  test('of different keys do not wait for each other', () => {
    const { runs, begun } = stepwise()
    void runs.request('a')
    void runs.request('b')
    assert.deepEqual(
      begun.map(({ key }) => key),
      ['a', 'b'],
    )
  })

  test('are finished by closing, and begun no more', async () => {
    const ended: string[] = []
    const runs = new CoalescedRuns(async (key) => {
      await new Promise((resolve) => setImmediate(resolve))
      ended.push(key)
    })
    void runs.request('a')
    void runs.request('a')
    await runs.close()
    await runs.request('a')
    assert.deepEqual(ended, ['a', 'a'])
  })
})
