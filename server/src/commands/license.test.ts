import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { TestIssuer } from '../../test/test-licenses.ts'
import { AppError } from '../lib/app-error.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { newId } from '../lib/uuid.ts'
import { readLicense, trustedKeys, verifyLicense } from '../modules/licenses/license.ts'
import { licenseInspect, licenseInstall, licenseIssue, licenseKeygen } from './license.ts'

const directory = await mkdtemp(path.join(tmpdir(), 'holdfast-license-'))
after(() => rm(directory, { recursive: true, force: true }))
const keyFile = path.join(directory, 'license.key')

const printed = async (work: (deps: { write: (line: string) => void }) => Promise<unknown>) => {
  const lines: string[] = []
  await work({ write: (line) => lines.push(line) })
  return lines
}
const lines = await printed((deps) => licenseKeygen(deps, [keyFile]))
const publicKey = lines.at(-1)?.replace('HOLDFAST_LICENSE_PUBLIC_KEYS=', '') ?? ''
const issue = (...more: string[]) =>
  printed((deps) => licenseIssue(deps, ['--key', keyFile, '--licensee', 'Acme', ...more]))

describe('license keygen', () => {
  test('keeps the private key to its owner, and does not print it', async () => {
    assert.equal((await stat(keyFile)).mode & 0o777, 0o600)
    const [, secret = ''] = (await readFile(keyFile, 'utf8')).split('\n')
    assert.ok(secret.length > 20 && !lines.join().includes(secret))
  })

  test('replaces no key', async () => {
    const before = await readFile(keyFile, 'utf8')
    await assert.rejects(
      printed((deps) => licenseKeygen(deps, [keyFile])),
      OperatorError,
    )
    assert.equal(await readFile(keyFile, 'utf8'), before)
  })

  for (const option of ['--help', '-h', '-']) {
    test(`takes ${option} for no name of a file`, async () => {
      const usage = /Usage: holdfast license keygen/
      await assert.rejects(
        printed((deps) => licenseKeygen(deps, [option])).finally(() => rm(option, { force: true })),
        usage,
      )
    })
  }
})

describe('license issue', () => {
  test('prints a licence that the printed key vouches for, and nothing else', async () => {
    const organizationId = newId()
    const [token = '', ...rest] = await issue('--organization', organizationId, '--days', '90', '--seats', '12')
    assert.deepEqual(rest, [])
    const license = verifyLicense(token, trustedKeys([publicKey]))
    assert.deepEqual([license.organizationId, license.seats, license.licensee], [organizationId, 12, 'Acme'])
    assert.equal(license.endsAt - license.startsAt, 90 * 86_400_000)
  })

  for (const [name, ...args] of [
    ['there is no organization', '--days', '5'],
    ['the days are not a number', '--organization', '*', '--days', 'ten'],
    ['there are no days', '--organization', '*'],
    ['there are no seats', '--organization', '*', '--days', '5', '--seats', '0'],
    ['an option is unknown', '--organization', '*', '--days', '5', '--forever'],
    ['the key is not there', '--organization', '*', '--days', '5', '--key', '/nowhere/key'],
    ['the key is none', '--organization', '*', '--days', '5', '--key', '/etc/hostname'],
  ] as const) {
    test(`says what to do when ${name}`, () => assert.rejects(issue(...args), OperatorError))
  }

  test('says what to do when the organization is not an id', () =>
    assert.rejects(issue('--organization', 'acme', '--days', '5'), AppError))
})

describe('license inspect', () => {
  const inspect = (token: string, typed = '') =>
    printed(({ write }) =>
      licenseInspect({ write, readInput: () => Promise.resolve(typed), publicKeys: [publicKey] }, [token]),
    )

  test('says what it says and that it counts', async () => {
    const [token = ''] = await issue('--organization', '*', '--days', '1')
    const said = (await inspect('-', `${token}\n`)).join('\n')
    assert.match(said, /Acme[\s\S]*every one[\s\S]*active[\s\S]*trusted here$/)
  })

  test('says that it does not count when nobody here trusts its key', async () => {
    assert.match((await inspect(new TestIssuer().issue())).join('\n'), /does not count here: .*not signed by/)
  })

  test('says that nonsense is none', () => assert.rejects(inspect('nonsense'), /malformed/))
})

describe('license install', () => {
  test('reads the licence from standard input and says for whom it holds', async () => {
    const token = new TestIssuer().issue()
    const given: unknown[] = []
    const licenses = {
      install: (...args: unknown[]) => {
        given.push(...args)
        const license = { ...readLicense(token), source: 'installed' as const, installedAt: new Date() }
        return Promise.resolve(license)
      },
    }
    const said = await printed(({ write }) =>
      licenseInstall({ write, licenses, readInput: () => Promise.resolve(`${token}\n`) }, ['-']),
    )
    assert.deepEqual(given, [{ type: 'platform' }, token])
    assert.match(said.join(), /holds for every organization until/)
  })
})
