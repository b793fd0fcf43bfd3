import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PingWheel } from './ping-wheel.ts'

test('everyone has one turn in each round, and no step has more than its share', () => {
  const wheel = new PingWheel<number>(4)
  for (let item = 0; item < 10; item++) wheel.add(item)
  const turns = Array.from({ length: 8 }, () => [...wheel.turn()])
  for (const turn of turns) assert.ok(turn.length <= 3)
  assert.deepEqual(
    turns.flat().sort((a, b) => a - b),
    Array.from({ length: 20 }, (_, index) => Math.floor(index / 2)),
  )
})

test('who has left has no turn', () => {
  const wheel = new PingWheel<string>(2)
  for (const item of ['a', 'b', 'c']) wheel.add(item)
  wheel.delete('b')
  wheel.delete('never there')
  assert.equal(wheel.size, 2)
  assert.deepEqual([...wheel.turn(), ...wheel.turn()].sort(), ['a', 'c'])
})
