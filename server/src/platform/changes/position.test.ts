import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { Position, type ResetReason } from './position.ts'
import type { Read, ReadChange } from './read.ts'

/** What PostgreSQL may lose in a crash: the ends of transactions younger than this, unless a commit waited for the disk. */
const LOSS_MS = 600
const HISTORY = { identity: 'one', durableAfterMs: 2_100 }

type Transaction = { xid: number; changes: ReadChange[] }
type Ended = { xid: number; atMs: number; isFlushed: boolean; changes: ReadChange[] }

/** As much of PostgreSQL as a snapshot can see, as forgetful in a crash as it may be. */
class ModelDatabase {
  nowMs = 0
  open = new Map<number, Transaction>()
  ended: Ended[] = []
  #xid = 100
  #seq = 1
  #appended = 0

  append(slot: number): void {
    const transaction = this.open.get(slot) ?? { xid: this.#xid++, changes: [] }
    const seq = this.#seq++
    transaction.changes.push({ seq, origin: `${transaction.xid}/${this.#appended++}`, scope: 'x', kind: 'k' })
    this.open.set(slot, transaction)
  }

  end(slot: number, how: 'commit' | 'commit without waiting' | 'rollback'): void {
    const transaction = this.open.get(slot)
    if (!transaction) return
    this.open.delete(slot)
    const changes = how === 'rollback' ? [] : transaction.changes
    this.ended.push({ xid: transaction.xid, atMs: this.nowMs, isFlushed: how === 'commit', changes })
  }

  crash(): void {
    const safe = this.ended.findLastIndex(({ isFlushed, atMs }) => isFlushed || this.nowMs - atMs >= LOSS_MS)
    this.open.clear()
    this.ended = this.ended.slice(0, safe + 1)
    // What is not on disk is given out again.
    this.#xid = Math.max(99, ...this.ended.map(({ xid }) => xid)) + 1
    this.#seq = Math.max(0, ...this.committed().map(({ seq }) => seq)) + 1
  }

  committed(): ReadChange[] {
    return this.ended.flatMap(({ changes }) => changes)
  }

  read(since: string | undefined): Read {
    const open = [...this.open.values()].map(({ xid }) => xid)
    const xmax = Math.max(99, ...this.ended.map(({ xid }) => xid)) + 1
    const xmin = Math.min(xmax, ...open)
    const [xminThen = 0, xmaxThen = 0, xip] =
      since?.split(':').map((part, index) => (index < 2 ? Number(part) : part)) ?? []
    const openThen = new Set(String(xip ?? '').split(','))
    const unseen = this.committed().filter(
      (change) => xidOf(change) >= Number(xmaxThen) || openThen.has(`${xidOf(change)}`),
    )
    return {
      snapshot: `${xmin}:${xmax}:${open.filter((xid) => xid < xmax).join()}`,
      databaseMs: this.nowMs,
      incarnation: 'first',
      isBehind: false,
      wentBack: since !== undefined && (xmin < Number(xminThen) || xmax < Number(xmaxThen)),
      isTooMuch: false,
      changes: since === undefined ? [] : unseen.sort((left, right) => left.seq - right.seq),
    }
  }
}

const xidOf = ({ origin }: ReadChange) => Number(origin.split('/')[0])

const slots = fc.nat(3)
const sharedSteps = [
  fc.record({ do: fc.constant('append' as const), slot: slots }),
  fc.record({ do: fc.constant('append' as const), slot: slots }),
  fc.record({ do: fc.constant('commit' as const), slot: slots }),
  fc.record({ do: fc.constant('rollback' as const), slot: slots }),
  fc.record({ do: fc.constant('read' as const), slot: slots }),
  fc.record({ do: fc.constant('read' as const), slot: slots }),
  fc.record({ do: fc.constant('reconnect' as const), slot: slots }),
  fc.record({ do: fc.constant('crash' as const), slot: slots }),
  fc.record({ do: fc.constant('wait' as const), slot: fc.nat(3_000) }),
]
const unflushed = fc.record({ do: fc.constant('commit without waiting' as const), slot: slots })

type Step = {
  do: 'append' | 'commit' | 'commit without waiting' | 'rollback' | 'read' | 'reconnect' | 'crash' | 'wait'
  slot: number
}

/** Runs the steps and gives what a follower is told: every change since the last reset, and the resets. */
const run = (steps: Step[]) => {
  const database = new ModelDatabase()
  const position = new Position()
  const told: ReadChange[] = []
  const resets: { reason: ResetReason; isExcused: boolean; visible: ReadChange[] }[] = []
  let isConnected = false
  const read = () => {
    if (!isConnected) position.beginSession(HISTORY)
    isConnected = true
    const step = position.take(database.read(position.next), database.nowMs)
    if ('news' in step) return void told.push(...step.news)
    const isExcused = told.some((change) => !database.committed().includes(change))
    resets.push({ reason: step.reset, isExcused, visible: database.committed() })
    told.length = 0
  }
  read()
  for (const { do: action, slot } of steps) {
    if (action === 'append') database.append(slot)
    else if (action === 'wait') database.nowMs += slot
    else if (action === 'read') read()
    else if (action === 'crash') database.crash()
    else if (action !== 'reconnect') database.end(slot, action)
    if (action === 'crash' || action === 'reconnect') isConnected = false
  }
  read()
  return { database, told, resets }
}

const LENGTH = { minLength: 20, maxLength: 150, size: 'max' } as const
const RUNS = { numRuns: 2_000 }

describe('a position', () => {
  test('gives each committed change once, whatever ends, breaks or crashes', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(...sharedSteps), LENGTH), (steps) => {
        const { database, told, resets } = run(steps)
        const before = new Set(resets.at(-1)?.visible)
        const expected = database.committed().filter((change) => !before.has(change))
        assert.deepEqual(new Set(told), new Set(expected))
        assert.equal(told.length, expected.length)
        assert.deepEqual(
          resets.filter(({ reason }) => reason !== 'started'),
          [],
        )
      }),
      RUNS,
    )
  })

  test('notices when a crash took back what it has given', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(...sharedSteps, unflushed), LENGTH), (steps) => {
        const { database, told, resets } = run(steps)
        const before = new Set(resets.at(-1)?.visible)
        assert.deepEqual(new Set(told), new Set(database.committed().filter((change) => !before.has(change))))
        assert.ok(resets.every(({ reason, isExcused }) => reason === 'started' || isExcused))
      }),
      RUNS,
    )
  })
})

describe('the thread is lost', () => {
  const change: ReadChange = { seq: 1, origin: '7/1', scope: 'x', kind: 'k' }
  const usual: Read = {
    snapshot: '5:5:',
    databaseMs: 0,
    incarnation: 'first',
    isBehind: false,
    wentBack: false,
    isTooMuch: false,
    changes: [],
  }
  const started = () => {
    const position = new Position()
    position.beginSession(HISTORY)
    assert.deepEqual(position.take(usual, 0), { reset: 'started' })
    return position
  }

  for (const [what, part, reason] of [
    ['rows were pruned that it has not read', { isBehind: true }, 'fell-behind'],
    ['there is too much to read', { isTooMuch: true }, 'fell-behind'],
    ['the database has gone back', { wentBack: true }, 'history-changed'],
    ['the tables were restored', { incarnation: 'second' }, 'history-changed'],
    ['the state is gone', { incarnation: null }, 'history-changed'],
  ] as const) {
    test(`when ${what}, and taken up again from there`, () => {
      const position = started()
      const broken = { ...usual, ...part, snapshot: '9:9:' }
      assert.deepEqual(position.take(broken, 1), { reset: reason })
      assert.equal(position.next, '9:9:')
      const after = { ...usual, incarnation: broken.incarnation, snapshot: '10:10:', changes: [change] }
      assert.deepEqual(position.take(after, 2), { news: [change] })
    })
  }

  test('when a session leads to another database', () => {
    const position = started()
    position.take(usual, 5_000)
    position.beginSession({ ...HISTORY, identity: 'two' })
    assert.equal(position.next, undefined)
    assert.deepEqual(position.take(usual, 5_001), { reset: 'history-changed' })
  })

  test('when the connection breaks before anything is sure to be on disk', () => {
    const position = started()
    position.take(usual, HISTORY.durableAfterMs - 1)
    position.beginSession(HISTORY)
    assert.deepEqual(position.take(usual, HISTORY.durableAfterMs), { reset: 'started' })
  })
})
