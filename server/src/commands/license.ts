import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { OperatorError } from '../lib/operator-error.ts'
import { newId } from '../lib/uuid.ts'
import {
  EVENT_SUBSCRIPTIONS,
  EVERY_ORGANIZATION,
  issueLicense,
  type License,
  publicKeyText,
  readLicense,
  trustedKeys,
  verifyLicense,
} from '../modules/licenses/license.ts'
import type { LicenseService } from '../modules/licenses/licenses.service.ts'
import { stateOf } from '../modules/licenses/validity.ts'

type Deps = { write: (line: string) => void }
type InputDeps = Deps & { readInput: () => Promise<string> }

const DAY_MS = 86_400_000
const DAYS_MAX = 36_500

/** Makes the key pair of whoever issues licences. An existing file is never replaced. */
export const licenseKeygen = async ({ write }: Deps, [file]: string[]): Promise<void> => {
  if (!file || file.startsWith('-'))
    throw new OperatorError('Where to? Usage: holdfast license keygen <file of the private key>')
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
  await writeFile(file, pem, { mode: 0o600, flag: 'wx' }).catch((error: unknown) => {
    throw new OperatorError(`${file} cannot be written, or is there already`, { cause: error })
  })
  write(`The private key is in ${file}: whoever has it can issue licences. Servers that trust it are configured with`)
  write(`HOLDFAST_LICENSE_PUBLIC_KEYS=${publicKeyText(publicKey)}`)
}

/** Prints a licence. */
export const licenseIssue = async ({ write }: Deps, args: string[]): Promise<void> => {
  const { key, organization, licensee, days, seats } = issueOptions(args)
  if (!key || !organization || !licensee) {
    throw new OperatorError(
      "Usage: holdfast license issue --key <file> --organization <id or '*'> --days <n> --licensee <name> [--seats <n>]",
    )
  }
  const now = Date.now()
  const license: License = {
    id: newId(),
    licensee,
    organizationId: organization === EVERY_ORGANIZATION ? undefined : organization,
    features: [EVENT_SUBSCRIPTIONS],
    seats: seats === undefined ? null : wholeNumber('--seats', seats, 1_000_000_000),
    startsAt: now,
    endsAt: now + wholeNumber('--days', days, DAYS_MAX) * DAY_MS,
  }
  write(issueLicense(license, await readPrivateKey(key)))
}

/** Says what a licence says, and whether it would count here. */
export const licenseInspect = async (
  { write, readInput, publicKeys }: InputDeps & { publicKeys: readonly string[] },
  args: string[],
): Promise<void> => {
  const token = await readToken(args, readInput, 'inspect')
  const license = readLicense(token)
  const at = (ms: number) => new Date(ms).toISOString()
  write(`id            ${license.id}`)
  write(`licensee      ${license.licensee}`)
  write(`organization  ${license.organizationId ?? 'every one'}`)
  write(`features      ${license.features.join(', ')}`)
  write(`seats         ${license.seats ?? 'any number'}`)
  write(`valid         from ${at(license.startsAt)} until ${at(license.endsAt)} (${stateOf(license, Date.now())})`)
  write(`signed        by key ${license.keyId}, ${trustIn(token, publicKeys)}`)
}

/** Puts a licence into the database, for all servers at once. */
export const licenseInstall = async (
  { write, readInput, licenses }: InputDeps & { licenses: Pick<LicenseService, 'install'> },
  args: string[],
): Promise<void> => {
  const { id, licensee, organizationId, endsAt } = await licenses.install(
    { type: 'platform' },
    await readToken(args, readInput, 'install'),
  )
  const holder = organizationId === undefined ? 'every organization' : `the organization ${organizationId}`
  write(`The licence ${id} of ${licensee} holds for ${holder} until ${new Date(endsAt).toISOString()}.`)
}

const trustIn = (token: string, publicKeys: readonly string[]): string => {
  try {
    verifyLicense(token, trustedKeys(publicKeys))
    return 'which is trusted here'
  } catch (error) {
    return `which does not count here: ${error instanceof Error ? error.message : ''}`
  }
}

const issueOptions = (args: string[]) => {
  const text = { type: 'string' } as const
  try {
    const options = { key: text, organization: text, days: text, licensee: text, seats: text }
    return parseArgs({ args, options }).values
  } catch (error) {
    throw new OperatorError(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

const wholeNumber = (name: string, text: string | undefined, max: number): number => {
  const value = /^\d{1,10}$/.test(text ?? '') ? Number(text) : 0
  if (value < 1 || value > max) throw new OperatorError(`${name} must be a whole number from 1 to ${max}`)
  return value
}

const readPrivateKey = async (file: string): Promise<KeyObject> => {
  try {
    const key = createPrivateKey(await readFile(file, 'utf8'))
    if (createPublicKey(key).asymmetricKeyType === 'ed25519') return key
  } catch (error) {
    throw new OperatorError(`--key: ${file} holds no key as \`holdfast license keygen\` makes it`, { cause: error })
  }
  throw new OperatorError(`--key: ${file} holds a key of another kind than \`holdfast license keygen\` makes`)
}

const readToken = async ([given]: string[], readInput: () => Promise<string>, command: string): Promise<string> => {
  if (!given) throw new OperatorError(`Which licence? Usage: holdfast license ${command} <licence, or - to read it>`)
  return (given === '-' ? await readInput() : given).trim()
}
