import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../lib/app-error.ts'
import { GroupInsert } from './group-insert.ts'

const rows = (count: number) => Array.from({ length: count }, (_, number) => String(number))

describe('a group insert', () => {
  test('stores what comes in one turn in one statement, in order', async () => {
    const statements: number[][] = []
    const group = new GroupInsert((text) => Promise.resolve(statements.push(JSON.parse(text) as number[])))
    await Promise.all(rows(100).map((row) => group.add(row)))
    assert.deepEqual(statements, [rows(100).map(Number)])
  })

  test('gathers what comes while a statement is under way', async () => {
    const statements: string[] = []
    const others: Promise<void>[] = []
    const group = new GroupInsert(async (text) => {
      if (statements.push(text) > 1) return
      others.push(group.add('1'))
      await new Promise(setImmediate)
      others.push(group.add('2'))
    })
    await group.add('0')
    await Promise.all(others)
    assert.deepEqual(statements, ['[0]', '[1,2]'])
  })

  test('sends a long queue in several statements', async () => {
    const sizes: number[] = []
    const group = new GroupInsert((text) => Promise.resolve(sizes.push((JSON.parse(text) as unknown[]).length)))
    await Promise.all(rows(2_500).map((row) => group.add(row)))
    assert.deepEqual(sizes, [1_000, 1_000, 500])
  })

  test('rejects everyone in a statement that the database could not be reached for, and goes on after', async () => {
    let isDown = true
    const group = new GroupInsert(() =>
      isDown ? Promise.reject(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' })) : Promise.resolve(),
    )
    const results = await Promise.allSettled(rows(3).map((row) => group.add(row)))
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'rejected', 'rejected'],
    )
    isDown = false
    await group.add('1')
  })

  test('rejects only the row that the database will not take', async () => {
    const stored: string[] = []
    const group = new GroupInsert((text) => {
      if (text.includes('1')) return Promise.reject(new Error('refused'))
      return Promise.resolve(stored.push(text))
    })
    const results = await Promise.allSettled(rows(3).map((row) => group.add(row)))
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    assert.deepEqual(stored, ['[0]', '[2]'])
  })

  test('refuses at once when too many are waiting', async () => {
    let open: () => void = () => undefined
    const gate = new Promise<void>((resolve) => (open = resolve))
    const group = new GroupInsert(() => gate)
    const waiting = rows(10_000).map((row) => group.add(row))
    await assert.rejects(group.add('x'), (error) => error instanceof AppError && error.kind === 'unavailable')
    open()
    await Promise.all(waiting)
    await group.add('y')
    await group.settled()
  })
})
