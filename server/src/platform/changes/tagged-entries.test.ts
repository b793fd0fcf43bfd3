import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { TaggedEntries } from './tagged-entries.ts'

const keysIn = (entries: TaggedEntries<number>, ...keys: string[]) =>
  keys.filter((key) => entries.get(key) !== undefined)

describe('entries with a weight', () => {
  test('go, the longest unused first, when all together weigh too much', () => {
    const entries = new TaggedEntries<number>(10, (value) => value)
    for (const [key, weight] of [
      ['a', 4],
      ['b', 4],
    ] as const) {
      entries.set(key, weight, new Set(['tag']))
    }
    entries.get('a')
    entries.set('c', 3, new Set())
    assert.deepEqual(keysIn(entries, 'a', 'b', 'c'), ['a', 'c'])
    entries.deleteTagged('tag')
    entries.set('d', 7, new Set())
    assert.deepEqual(keysIn(entries, 'a', 'c', 'd'), ['c', 'd'])
  })

  test('keep the latest, however heavy it is', () => {
    const entries = new TaggedEntries<number>(10, (value) => value)
    entries.set('a', 1, new Set())
    entries.set('b', 50, new Set())
    assert.deepEqual(keysIn(entries, 'a', 'b'), ['b'])
    entries.set('b', 2, new Set())
    entries.set('c', 8, new Set())
    assert.deepEqual(keysIn(entries, 'b', 'c'), ['b', 'c'])
  })
})
