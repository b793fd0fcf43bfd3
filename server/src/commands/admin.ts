import { randomInt } from 'node:crypto'
import { AppError } from '../lib/app-error.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { passwordFaults } from '../modules/users/password-policy.ts'

type Deps = {
  logins: { resetPassword: (account: { email: string; password: string }) => Promise<void> }
  write: (line: string) => void
  /** The whole of standard input, when it is not a terminal: then it holds the password. */
  readPassword?: (() => Promise<string>) | undefined
}

const ALPHABET = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const GROUPS = 6
const GROUP_CHARACTERS = 4

/** Gives a user a new password: one that is read from standard input, or one that is made here and shown once. */
export const resetPassword = async (
  { logins, write, readPassword }: Deps,
  email: string | undefined,
): Promise<void> => {
  if (!email) throw new OperatorError('Whose password? Usage: holdfast admin reset-password <email>')
  const given = (await readPassword?.())?.trim()
  if (given === '') throw new OperatorError('Standard input holds no password')
  const password = given ?? generatePassword()
  const faults = passwordFaults(password)
  if (faults.length > 0) throw new OperatorError(faults.join('\n'))

  await logins.resetPassword({ email, password }).catch((error: unknown) => {
    throw error instanceof AppError ? new OperatorError(error.message, { cause: error }) : error
  })
  write(`${email} has a new password, and all of its sessions have been ended.`)
  if (given === undefined) write(`The password, which is not shown again: ${password}`)
}

/** Easy to read out: groups of four, without letters that look alike; some 139 bits. */
const generatePassword = (): string => {
  const password = Array.from({ length: GROUPS }, () =>
    Array.from({ length: GROUP_CHARACTERS }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join(''),
  ).join('-')
  return passwordFaults(password).length === 0 ? password : generatePassword()
}
