import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { newId } from '../../lib/uuid.ts'
import { MemberOrder, type Place } from './member-order.ts'

const compare = (a: Place, b: Place): number =>
  Buffer.compare(Buffer.from(a.sortKey), Buffer.from(b.sortKey)) || (a.id < b.id ? -1 : 1)

const idsOf = (places: readonly Place[]): string[] => [...places].sort(compare).map(({ id }) => id)

const orderOf = (places: readonly Place[]): MemberOrder => {
  const sorted = [...places].sort(compare)
  const ids = Buffer.concat(sorted.map(({ id }) => Buffer.from(id.replaceAll('-', ''), 'hex')))
  return new MemberOrder(
    ids,
    sorted.map(({ sortKey }) => sortKey),
  )
}

const all = (order: MemberOrder): string[] => order.slice({ offset: 0, limit: order.size, orderDirection: 'asc' })

const sortKey = fc.oneof(fc.constantFrom('a', 'b', 'é', '', '\u{1f600}', '\ufffd'), fc.string({ maxLength: 5 }))
const POOL = Array.from({ length: 12 }, () => newId())
const places = fc
  .uniqueArray(fc.constantFrom(...POOL), { maxLength: POOL.length })
  .chain((ids) => fc.tuple(...ids.map((id) => sortKey.map((key) => ({ id, sortKey: key })))))

describe('an order of members', () => {
  test('stays what sorting would make of it, whoever comes, goes or is renamed', () => {
    fc.assert(
      fc.property(places, fc.array(fc.tuple(fc.subarray(POOL), places), { maxLength: 6 }), (first, changes) => {
        const order = orderOf(first)
        let expected: Place[] = first
        for (const [gone, present] of changes) {
          const changed = [...new Set([...gone, ...present.map(({ id }) => id)])]
          order.refresh(changed, present)
          expected = [...expected.filter(({ id }) => !changed.includes(id)), ...present]
          assert.deepEqual(all(order), idsOf(expected))
          assert.equal(order.size, expected.length)
        }
      }),
      { numRuns: 300 },
    )
  })

  test('any slice is that part of the whole, in either direction', () => {
    const members = Array.from({ length: 500 }, (_, index) => ({ id: newId(), sortKey: `name ${index % 40}` }))
    const order = orderOf(members)
    const sorted = idsOf(members)
    for (const [offset, limit] of [
      [0, 1],
      [0, 100],
      [450, 100],
      [499, 1],
      [500, 10],
      [1e9, 10],
    ] as const) {
      assert.deepEqual(order.slice({ offset, limit, orderDirection: 'asc' }), sorted.slice(offset, offset + limit))
      assert.deepEqual(
        order.slice({ offset, limit, orderDirection: 'desc' }),
        sorted.toReversed().slice(offset, offset + limit),
      )
    }
  })

  test('grows beyond the room it began with', () => {
    const order = orderOf([])
    const members = Array.from({ length: 1_000 }, (_, index) => ({ id: newId(), sortKey: String(index) }))
    for (const member of members) assert.equal(order.refresh([member.id], [member]), true)
    assert.deepEqual(all(order), idsOf(members))
  })

  test('a change of someone who is not in it does not concern it', () => {
    const order = orderOf([{ id: newId(), sortKey: 'a' }])
    assert.equal(order.refresh([newId()], []), false)
  })
})
