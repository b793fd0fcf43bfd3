import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { inspect } from 'node:util'
import { connectTo, openTestDatabase } from '../../../test/test-database.ts'
import { Keyring } from './keyring.ts'
import { ProcessSeal } from './process-seal.ts'
import { verifyRootKey } from './root-key-check.ts'
import { rewrapAll, rotateRootKey } from './root-key-rotation.ts'
import { loadRootKeys } from './root-key-settings.ts'
import { generateRootKeyText, parseRootKey, RootKeys } from './root-key.ts'
import { keyIdOf, open, seal } from './sealing.ts'
import { TokenSigner } from './token.ts'
import { openCheckValue, unwrap } from './wrapping.ts'

const CANARY = 'canary-value-c0ffee'
const NOW = 1_700_000_000

const { db, url } = await openTestDatabase()
const folder = await mkdtemp(path.join(os.tmpdir(), 'holdfast-canary-'))
const client = await connectTo(url)
after(async () => {
  await client.end()
  await rm(folder, { recursive: true })
})

const context = {
  purpose: 'secret',
  organizationId: null,
  projectId: null,
  folderId: null,
  rowId: '1',
  version: 1,
  field: 'value',
}

const spellings = (raw: Buffer): string[] => [
  raw.toString('base64').replace(/=+$/, ''),
  raw.toString('base64url'),
  raw.toString('hex'),
  // How a Buffer looks when printed.
  raw
    .toString('hex')
    .slice(0, 24)
    .replace(/..(?!$)/g, '$& '),
  JSON.stringify([...raw]).slice(1, 40),
]

/** Everything a log could print of it. */
const printed = (value: unknown): string =>
  [inspect(value, { depth: 20, showHidden: true }), JSON.stringify(value), String(value)].join('\n')

test('no error and no printed object of this folder shows a key, a token or a value', async () => {
  const rootText = generateRootKeyText()
  const otherText = generateRootKeyText()
  const [root, other] = [parseRootKey(rootText, 'test'), parseRootKey(otherText, 'test')]
  const roots = new RootKeys({ current: root })
  const keyring = new Keyring({ db, roots })
  await keyring.establish()
  const key = await keyring.ensure(db.pool, 'project-data', randomUUID())
  const signer = new TokenSigner({ db, keyring })
  const token = await signer.sign({ jti: CANARY }, { issuedAtSeconds: NOW, expiresAtSeconds: NOW + 60 })
  const signingKey = await keyring.active(db.pool, 'token-signing', null)
  const sealed = seal(key, CANARY, context)
  const row = await db.pool.selectFrom('keys').selectAll().where('id', '=', key.id).executeTakeFirstOrThrow()
  const file = path.join(folder, 'key')
  await writeFile(file, `${rootText} `.repeat(2), { mode: 0o600 })
  const processSeal = new ProcessSeal()

  const attempts: (() => unknown)[] = [
    () => parseRootKey(` ${rootText}`, 'X'),
    () => parseRootKey(rootText.slice(1), 'X'),
    () => loadRootKeys({ rootKey: rootText, previousRootKey: rootText }),
    () => loadRootKeys({ rootKey: rootText, previousRootKey: `${otherText}=` }),
    () => loadRootKeys({ rootKey: rootText, rootKeyFile: file }),
    () => loadRootKeys({ rootKeyFile: file }),
    () => loadRootKeys({ rootKeyFile: `${file}/x` }),
    () => open(key, sealed.subarray(1), context),
    () => open(key, sealed, { ...context, rowId: '2' }),
    () => open(signingKey, sealed, context),
    () => keyIdOf(Buffer.alloc(3)),
    () => processSeal.open(processSeal.seal(CANARY, 'a'), 'b'),
    () => unwrap(other, row),
    () => openCheckValue(other, row.wrapped),
    () => verifyRootKey(client, new RootKeys({ current: other })),
    () => new Keyring({ db, roots: new RootKeys({ current: other }) }).establish(),
    () => new Keyring({ db, roots: new RootKeys({ current: other }) }).byId(db.pool, key.id),
    () => keyring.byId(db.pool, randomUUID()),
    () => keyring.byId(db.pool, 'not a uuid'),
    () => keyring.active(db.pool, 'nothing', null),
    () => keyring.ensure(db.pool, 'x'.repeat(65), null),
    () => rewrapAll({ db, newRoot: other, previousRoot: other, report: assert.ok }),
    () => rotateRootKey({ db, settings: { rootKey: otherText }, report: assert.ok }),
    () => signer.verify(`${token}x`, NOW * 1000),
    () => signer.verify(token, (NOW + 61) * 1000),
    () => signer.verify(token.slice(10), NOW * 1000),
    () => signer.verify(`${token}.${token}`, NOW * 1000),
    () => signer.sign({ large: CANARY.repeat(2_000) }, { issuedAtSeconds: NOW, expiresAtSeconds: NOW + 60 }),
  ]
  const texts = [roots, keyring, signer, key, root, processSeal].map(printed)
  for (const [index, attempt] of attempts.entries()) {
    const error: unknown = await Promise.resolve()
      .then(attempt)
      .then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
    assert.ok(error instanceof Error, `attempt ${index} is refused`)
    texts.push(printed(error), error.stack ?? '')
  }

  const secrets = [root, other, key, signingKey].flatMap(({ secret }) => spellings(secret.export()))
  const all = texts.join('\n')
  for (const secret of [...secrets, CANARY, token]) assert.ok(!all.includes(secret))
  assert.ok(spellings(Buffer.alloc(32, 1)).every((text) => printed({ raw: Buffer.alloc(32, 1), text }).includes(text)))
})
