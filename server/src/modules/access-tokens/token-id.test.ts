import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { isUuid } from '../../lib/uuid.ts'
import { isBoundTo, newTokenId } from './token-id.ts'

describe('a token id', () => {
  const binding = { methodId: randomUUID(), membershipId: randomUUID() }

  test('is a UUID of version 8, never the same twice', () => {
    const ids = Array.from({ length: 1_000 }, () => newTokenId(binding))
    for (const id of ids) {
      assert.ok(isUuid(id), id)
      assert.match(id, /^.{14}8.{4}[89ab]/)
    }
    assert.equal(new Set(ids).size, ids.length)
  })

  test('fits the attachment and membership it was made for', () => {
    assert.ok(isBoundTo(newTokenId(binding), binding))
  })

  test('fits no other attachment and no other membership', () => {
    const id = newTokenId(binding)
    assert.ok(!isBoundTo(id, { ...binding, methodId: randomUUID() }))
    assert.ok(!isBoundTo(id, { ...binding, membershipId: randomUUID() }))
    assert.ok(!isBoundTo(id, { methodId: binding.membershipId, membershipId: binding.methodId }))
    assert.ok(!isBoundTo(randomUUID(), binding))
  })
})
