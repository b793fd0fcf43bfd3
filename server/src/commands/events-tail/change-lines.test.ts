import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { changeLines } from './change-lines.ts'

const at = new Date(2030, 0, 2, 3, 4, 5)
const lines = (event: string, payload: unknown, isColoured = false) =>
  changeLines(
    { event, data: JSON.stringify({ projectType: 'secret-manager', data: { eventType: event, payload } }) },
    { at, isColoured },
  )
const secret = (secretKey: string) => ({ environment: 'dev', secretPath: '/app', secretKey })

describe('the line of a change', () => {
  test('has time, kind, environment, path and key, for each secret', () => {
    assert.deepEqual(lines('secret:update', [secret('A'), secret('B')]), [
      '2030-01-02 03:04:05  update  dev  /app  A',
      '2030-01-02 03:04:05  update  dev  /app  B',
    ])
  })

  test('of an import has no key', () => {
    assert.deepEqual(lines('secret:import-mutation', { environment: 'dev', secretPath: '/' }), [
      '2030-01-02 03:04:05  import  dev  /',
    ])
  })

  test('is coloured only when told so', () => {
    assert.ok(lines('secret:delete', [secret('A')], true)[0]?.includes('\x1b[31mdelete\x1b[0m'))
  })

  test('never speaks to the terminal in the name of a secret', () => {
    assert.match(lines('secret:create', [secret('A\x1b[2J\nB\u202e')])[0] ?? '', /A\\u001b\[2J\\u000aB\\u202e$/)
  })

  test('is none for what is no change', () => {
    assert.deepEqual(lines('ping', []), [])
    assert.deepEqual(lines('secret:create', 'nonsense'), [])
    assert.deepEqual(changeLines({ event: 'secret:create', data: '{' }, { at, isColoured: false }), [])
    assert.deepEqual(changeLines({ event: 'secret:create', data: undefined }, { at, isColoured: false }), [])
  })
})
