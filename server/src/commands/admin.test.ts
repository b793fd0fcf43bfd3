import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { notFound } from '../lib/app-error.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { passwordFaults } from '../modules/users/password-policy.ts'
import { resetPassword } from './admin.ts'

const PASSWORD = 'correct horse battery 9'

const run = async (email?: string, typed?: string) => {
  const lines: string[] = []
  const given: { email: string; password: string }[] = []
  const logins = {
    resetPassword: (account: { email: string; password: string }) => Promise.resolve(void given.push(account)),
  }
  const readPassword = typed === undefined ? undefined : () => Promise.resolve(typed)
  await resetPassword({ logins, write: (line) => lines.push(line), readPassword }, email)
  return { lines, given }
}

describe('admin reset-password', () => {
  test('makes a password that meets the policy, and shows it once', async () => {
    const { lines, given } = await run('a@example.com')
    const [{ email, password } = { email: '', password: '' }] = given
    assert.equal(email, 'a@example.com')
    assert.deepEqual(passwordFaults(password), [])
    assert.equal(lines.filter((line) => line.includes(password)).length, 1)
  })

  test('takes a password from standard input, and does not show it', async () => {
    const { lines, given } = await run('a@example.com', `${PASSWORD}\n`)
    assert.deepEqual(given, [{ email: 'a@example.com', password: PASSWORD }])
    assert.ok(!lines.join().includes(PASSWORD))
  })

  for (const [name, email, typed] of [
    ['no address is given', undefined, undefined],
    ['standard input is empty', 'a@example.com', ' \n'],
    ['the password breaks the policy', 'a@example.com', 'short'],
  ] as const) {
    test(`says what to do when ${name}`, () => assert.rejects(run(email, typed), OperatorError))
  }

  test('says so when there is no such user', async () => {
    const logins = { resetPassword: () => Promise.reject(notFound("User 'x@example.com' not found")) }
    await assert.rejects(
      resetPassword({ logins, write: () => undefined }, 'x@example.com'),
      (error) => error instanceof OperatorError && error.message.includes('x@example.com'),
    )
  })
})
