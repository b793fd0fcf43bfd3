import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newRequestId } from './request-id.ts'

test('an id is req- and 14 letters or digits', () => {
  for (let count = 0; count < 2000; count++) assert.match(newRequestId(), /^req-[0-9A-Za-z]{14}$/)
})

test('ids do not repeat, also across refills of the pool', () => {
  const ids = Array.from({ length: 20_000 }, newRequestId)
  assert.equal(new Set(ids).size, ids.length)
})

test('every character is about equally likely', () => {
  const counts = new Map<string, number>()
  for (const character of Array.from({ length: 20_000 }, () => newRequestId().slice(4)).join('')) {
    counts.set(character, (counts.get(character) ?? 0) + 1)
  }
  assert.equal(counts.size, 62)
  const expected = (20_000 * 14) / 62
  for (const count of counts.values()) assert.ok(Math.abs(count - expected) < expected * 0.12)
})
