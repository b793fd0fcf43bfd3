import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../lib/app-error.ts'
import { NOBODYS_HASH, PasswordHasher } from './password-hasher.ts'

const PASSWORD = 'correct horse battery 9'
const hasher = new PasswordHasher()
const hash = await hasher.hash(PASSWORD)
const nothing = () => Promise.resolve()

describe('a hash', () => {
  test('is argon2id with its own salt', async () => {
    assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=3,p=1\$/)
    assert.notEqual(await hasher.hash(PASSWORD), hash)
  })

  test('is met by its password alone', async () => {
    assert.equal(await hasher.verify(hash, PASSWORD, nothing), true)
    assert.equal(await hasher.verify(hash, `${PASSWORD}x`, nothing), false)
  })
})

describe('where there is no hash', () => {
  for (const none of [undefined, null]) {
    test(`(${String(none)}) no password is right, and the work is done all the same`, async () => {
      let isAdmitted = false
      const admit = async () => Promise.resolve().then(() => void (isAdmitted = true))
      assert.equal(await hasher.verify(none, PASSWORD, admit), false)
      assert.equal(isAdmitted, true)
    })
  }

  test('as much work is done as with one', () => {
    const costOf = (text: string) => text.split('$').slice(0, 4)
    assert.deepEqual(costOf(NOBODYS_HASH), costOf(hash))
    assert.equal(NOBODYS_HASH.length, hash.length)
  })
})

describe('under load', () => {
  test('two are worked on at a time, in the order in which they came', async () => {
    const crowded = new PasswordHasher()
    const order: number[] = []
    const leave: (() => void)[] = []
    const outcomes = Array.from({ length: 6 }, (_, position) =>
      crowded
        .verify(hash, 'wrong', async () => {
          order.push(position)
          await new Promise<void>((resolve) => leave.push(resolve))
          throw new Error('refused')
        })
        .catch(() => undefined),
    )
    for (let finished = 0; finished < outcomes.length; finished++) {
      await nextTurn()
      assert.equal(order.length, Math.min(finished + 2, outcomes.length))
      leave[finished]?.()
    }
    await Promise.all(outcomes)
    assert.deepEqual(order, [0, 1, 2, 3, 4, 5])
  })

  test('those beyond a bounded queue are sent away at once, and the rest is served', async () => {
    const crowded = new PasswordHasher()
    let leave: () => void = () => undefined
    const held = new Promise<void>((resolve) => (leave = resolve))
    const refuse = async () => {
      await held
      throw new Error('refused')
    }
    const outcomes = Array.from({ length: 100 }, () =>
      crowded.verify(hash, 'wrong', refuse).catch((error: unknown) => error),
    )
    const sentAway = await Promise.race([outcomes[99], held])
    assert.ok(sentAway instanceof AppError && sentAway.kind === 'unavailable')
    leave()
    const settled = await Promise.all(outcomes)
    assert.equal(settled.filter((outcome) => outcome instanceof AppError).length, 34)
    assert.equal(settled.filter((outcome) => outcome instanceof Error && outcome.message === 'refused').length, 66)
    assert.equal(await crowded.verify(hash, PASSWORD, nothing), true)
  })
})
