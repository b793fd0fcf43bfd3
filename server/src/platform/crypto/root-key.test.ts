import fc from 'fast-check'
import assert from 'node:assert/strict'
import { chmod, link, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { execFileSync } from 'node:child_process'
import os from 'node:os'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { removePreviousRootKeyFile, replaceRootKeyFile } from './root-key-files.ts'
import { loadRootKeys } from './root-key-settings.ts'
import { generateRootKeyText, parseRootKey, RootKeyError } from './root-key.ts'

const folder = await mkdtemp(path.join(os.tmpdir(), 'holdfast-root-key-'))
after(() => rm(folder, { recursive: true }))

let count = 0
const newDirectory = () => path.join(folder, `data-${count++}`)
const keyFile = async (content: string, mode = 0o600): Promise<string> => {
  const file = path.join(folder, `key-${count++}`)
  await writeFile(file, content)
  await chmod(file, mode)
  return file
}
const oneLine = (pattern: RegExp) => (error: unknown) =>
  error instanceof RootKeyError && pattern.test(error.message) && !error.message.includes('\n')

describe('a root key from the configuration', () => {
  test('is 32 bytes in base64', async () => {
    const text = generateRootKeyText()
    const roots = await loadRootKeys({ rootKey: text })
    assert.equal(roots.current.secret.export().toString('base64'), text)
    assert.equal(roots.previous, undefined)
  })

  test('has an id that depends on all of it', () => {
    const raw = Buffer.alloc(32, 7)
    const id = parseRootKey(raw.toString('base64'), 'test').id
    assert.match(id, /^[0-9a-f]{16}$/)
    raw[31] = 8
    assert.notEqual(parseRootKey(raw.toString('base64'), 'test').id, id)
  })

  const valid = Buffer.alloc(32, 0xfb).toString('base64')
  for (const [reason, text] of [
    ['empty', ''],
    ['31 bytes', Buffer.alloc(31).toString('base64')],
    ['33 bytes', Buffer.alloc(33).toString('base64')],
    ['hexadecimal', Buffer.alloc(32).toString('hex')],
    ['base64url', Buffer.alloc(32, 0xfb).toString('base64url')],
    ['unpadded', valid.slice(0, -1)],
    ['surrounded by space', ` ${valid}`],
    ['followed by a line end', `${valid}\n`],
    ['one of several spellings of the same bytes', valid.replace(/.=$/, 't=')],
  ] as const) {
    test(`is refused when ${reason}`, async () => {
      await assert.rejects(loadRootKeys({ rootKey: text }), oneLine(/^HOLDFAST_ROOT_KEY must be exactly 32 bytes/))
    })
  }

  test('is not repeated when refused', () => {
    fc.assert(
      fc.property(
        fc.string().map((noise) => `canary${noise}`),
        (text) => {
          assert.throws(
            () => parseRootKey(text, 'X'),
            (error: Error) => !error.message.includes(text),
          )
        },
      ),
    )
  })

  test('must be there', async () => {
    await assert.rejects(loadRootKeys({}), oneLine(/HOLDFAST_ROOT_KEY or HOLDFAST_ROOT_KEY_FILE must be set/))
  })

  test('comes with the previous one while rotating, which must differ', async () => {
    const [rootKey, previousRootKey] = [generateRootKeyText(), generateRootKeyText()]
    const roots = await loadRootKeys({ rootKey, previousRootKey })
    assert.equal(roots.previous?.id, parseRootKey(previousRootKey, 'test').id)
    await assert.rejects(loadRootKeys({ rootKey, previousRootKey: rootKey }), oneLine(/are the same/))
    await assert.rejects(
      loadRootKeys({ rootKey, previousRootKey: 'x' }),
      oneLine(/^HOLDFAST_ROOT_KEY_PREVIOUS must be/),
    )
    await assert.rejects(loadRootKeys({ previousRootKey, generateIn: folder }), oneLine(/set HOLDFAST_ROOT_KEY too/))
  })
})

describe('a root key in a file', () => {
  test('is read without the line end', async () => {
    const text = generateRootKeyText()
    const roots = await loadRootKeys({ rootKeyFile: await keyFile(`${text}\n`) })
    assert.equal(roots.current.id, parseRootKey(text, 'test').id)
  })

  test('is refused when every user of the machine may read it; the group may', async () => {
    const text = generateRootKeyText()
    await assert.rejects(loadRootKeys({ rootKeyFile: await keyFile(text, 0o604) }), oneLine(/open to every user/))
    await loadRootKeys({ rootKeyFile: await keyFile(text, 0o440) })
  })

  test('is refused when it is missing, a folder, a pipe, or holds something else', async () => {
    await assert.rejects(loadRootKeys({ rootKeyFile: path.join(folder, 'absent') }), oneLine(/there is no file/))
    const directory = newDirectory()
    await mkdir(directory, { mode: 0o700 })
    await assert.rejects(loadRootKeys({ rootKeyFile: directory }), oneLine(/not a regular file/))
    const pipe = path.join(folder, 'pipe')
    execFileSync('mkfifo', ['-m', '600', pipe])
    await assert.rejects(loadRootKeys({ rootKeyFile: pipe }), oneLine(/not a regular file/))
    const two = await keyFile(`${generateRootKeyText()}\n${generateRootKeyText()}\n`)
    await assert.rejects(loadRootKeys({ rootKeyFile: two }), oneLine(/must be exactly 32 bytes/))
    const long = await keyFile(generateRootKeyText() + ' '.repeat(10_000) + 'x')
    await assert.rejects(loadRootKeys({ rootKeyFile: long }), oneLine(/must be exactly 32 bytes/))
  })

  test('excludes one in the environment', async () => {
    const rootKey = generateRootKeyText()
    const settings = { rootKey, rootKeyFile: await keyFile(rootKey) }
    await assert.rejects(loadRootKeys(settings), oneLine(/both set: keep one/))
  })
})

describe('a root key that the data directory keeps', () => {
  test('is made once, readable by its owner only, and found again', async () => {
    const directory = newDirectory()
    const first = await loadRootKeys({ generateIn: directory })
    assert.equal((await stat(path.join(directory, 'root.key'))).mode & 0o777, 0o600)
    assert.equal((await loadRootKeys({ generateIn: directory })).current.id, first.current.id)
    assert.deepEqual(await readdir(directory), ['root.key'])
  })

  test('is not made anew for a database that was written with another, and nothing is written', async () => {
    const directory = newDirectory()
    await mkdir(directory)
    const expected = oneLine(/root\.key is missing.*restore that file from a backup.*HOLDFAST_ROOT_KEY.*0123abcd/)
    await assert.rejects(
      loadRootKeys({ generateIn: directory }, () => Promise.resolve('0123abcd')),
      expected,
    )
    assert.deepEqual(await readdir(directory), [])
  })

  test('is not made anew when it vanishes under a running server', async () => {
    const directory = newDirectory()
    const roots = await loadRootKeys({ generateIn: directory })
    await rm(path.join(directory, 'root.key'))
    await assert.rejects(roots.findAfresh('of another process'), oneLine(/root\.key is missing/))
    assert.deepEqual(await readdir(directory), [])
  })

  test('is not made when one is configured', async () => {
    const directory = newDirectory()
    await loadRootKeys({ rootKey: generateRootKeyText(), generateIn: directory })
    await assert.rejects(stat(directory))
  })

  test('is one, however many processes start at once', async () => {
    const directory = newDirectory()
    const loads = Array.from({ length: 20 }, () => loadRootKeys({ generateIn: directory }))
    const ids = (await Promise.all(loads)).map((roots) => roots.current.id)
    assert.equal(new Set(ids).size, 1)
    assert.deepEqual(await readdir(directory), ['root.key'])
  })

  test('is kept beside its successor until the rotation has finished', async () => {
    const directory = newDirectory()
    const old = (await loadRootKeys({ generateIn: directory })).current
    const { current, previous } = await replaceRootKeyFile(directory)
    assert.equal(previous?.id, old.id)
    assert.notEqual(current.id, old.id)
    assert.equal((await stat(path.join(directory, 'root.key'))).mode & 0o777, 0o600)

    assert.equal((await replaceRootKeyFile(directory)).current.id, current.id, 'a second begins no second rotation')
    const started = await loadRootKeys({ generateIn: directory })
    assert.deepEqual([started.current.id, started.previous?.id], [current.id, old.id])

    await removePreviousRootKeyFile(directory, current.id)
    assert.deepEqual((await readdir(directory)).sort(), ['root.key', 'root.key.previous'], 'not the one asked for')
    await removePreviousRootKeyFile(directory, old.id)
    assert.deepEqual(await readdir(directory), ['root.key'])
    await removePreviousRootKeyFile(directory, old.id)
  })

  test('survives a stop between keeping it and putting the new one in its place', async () => {
    const directory = newDirectory()
    const old = (await loadRootKeys({ generateIn: directory })).current
    await link(path.join(directory, 'root.key'), path.join(directory, 'root.key.previous'))
    const started = await loadRootKeys({ generateIn: directory })
    assert.deepEqual([started.current.id, started.previous], [old.id, undefined])
    assert.equal((await replaceRootKeyFile(directory)).previous?.id, old.id)
  })

  test('is not made anew when only the previous one is there', async () => {
    const directory = newDirectory()
    await loadRootKeys({ generateIn: directory })
    await replaceRootKeyFile(directory)
    const content = await readFile(path.join(directory, 'root.key.previous'))
    await rm(path.join(directory, 'root.key'))
    await assert.rejects(loadRootKeys({ generateIn: directory }), oneLine(/is missing beside root.key.previous/))
    assert.deepEqual(await readFile(path.join(directory, 'root.key.previous')), content)
  })
})
