import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../lib/app-error.ts'
import { bearerToken } from './authentication.ts'

const kindOf = (header: string | undefined) => {
  try {
    return bearerToken(header)
  } catch (error) {
    assert.ok(error instanceof AppError)
    return error.kind
  }
}

describe('bearerToken', () => {
  for (const header of ['Bearer a.b.c', 'bearer a.b.c', 'BEARER a.b.c', 'Bearer   a.b.c']) {
    test(`takes '${header}'`, () => assert.equal(bearerToken(header), 'a.b.c'))
  }

  test('a missing header means that nobody is there', () => {
    assert.equal(kindOf(undefined), 'unauthenticated')
    assert.throws(() => bearerToken(undefined), /^AppError: Token missing$/)
  })

  for (const header of ['', 'Bearer', 'Bearer ', 'Bearer a b', 'Basic Zm9v', 'a.b.c', 'Bearera.b.c', 'Bearer\ta.b.c']) {
    test(`rejects '${header}' as a malformed token`, () => assert.equal(kindOf(header), 'token-rejected'))
  }

  test('is quick for a header full of blanks', () => {
    const started = performance.now()
    assert.equal(kindOf(`Bearer${' '.repeat(16_000)}`), 'token-rejected')
    assert.ok(performance.now() - started < 500)
  })
})
