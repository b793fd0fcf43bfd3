import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { findBreaches, type SourceFile } from './architecture.ts'

const SOURCE_FOLDER = fileURLToPath(new URL('../../src/', import.meta.url))

const readSources = async (): Promise<SourceFile[]> => {
  const names = await readdir(SOURCE_FOLDER, { recursive: true })
  const sources = names.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  return Promise.all(
    sources.map(async (name) => ({ path: name, text: await readFile(path.join(SOURCE_FOLDER, name), 'utf8') })),
  )
}

const importing = (from: string, target: string): SourceFile[] => [
  { path: from, text: `import { x } from '${target}'` },
]

describe('the house', () => {
  test('is built as planned', async () => {
    assert.deepEqual(findBreaches(await readSources()), [])
  })
})

describe('a breach is found:', () => {
  const breaches: [name: string, files: SourceFile[], pattern: RegExp][] = [
    ['an import to the right', importing('lib/slug.ts', '../platform/db/db.ts'), /stands to its right/],
    [
      'an import to the right between modules',
      importing('modules/audit/audit.service.ts', '../pki/authority.ts'),
      /stands to its right/,
    ],
    [
      'a type import to the right',
      [{ path: 'platform/clock.ts', text: "import type { A } from '../app.ts'" }],
      /stands to its right/,
    ],
    [
      'a dynamic import to the right',
      [{ path: 'platform/clock.ts', text: "const a = await import('../app.ts')" }],
      /stands to its right/,
    ],
    ['routes that use a store', importing('modules/pki/pki.routes.ts', './pki.store.ts'), /never stores/],
    [
      "routes that use another module's service",
      importing('modules/pki/pki.routes.ts', '../users/users.service.ts'),
      /their own service/,
    ],
    ['a service that knows Fastify', importing('modules/pki/pki.service.ts', 'fastify'), /nothing of HTTP/],
    [
      "a service that uses another module's store",
      importing('modules/pki/pki.service.ts', '../users/users.store.ts'),
      /no other module's store/,
    ],
    ['a store that calls a service', importing('modules/pki/pki.store.ts', './pki.service.ts'), /nothing above them/],
    ['schemas that know a store', importing('modules/pki/pki.schemas.ts', './pki.store.ts'), /shapes only/],
    ['a file that stands nowhere', [{ path: 'modules/unheard-of/x.ts', text: '' }], /in no layer/],
    ['a vague name', [{ path: 'lib/utils.ts', text: '' }], /says nothing/],
    [
      'too many imports',
      [{ path: 'lib/a.ts', text: Array.from({ length: 16 }, (_, i) => `import a${i} from 'p${i}'`).join('\n') }],
      /16 imports/,
    ],
    [
      'a table with two writers',
      [
        { path: 'modules/pki/pki.store.ts', text: "db.insertInto('certificateAuthorities')" },
        { path: 'modules/users/users.store.ts', text: 'sql`update certificate_authorities set name = 1`' },
      ],
      /Table certificate_authorities is written by modules\/pki and modules\/users/,
    ],
    [
      'an import cycle',
      [
        { path: 'lib/a.ts', text: "import { b } from './b.ts'" },
        { path: 'lib/b.ts', text: "import { a } from './a.ts'" },
      ],
      /Import cycle: lib\/a.ts → lib\/b.ts → lib\/a.ts/,
    ],
  ]
  for (const [name, files, pattern] of breaches) {
    test(name, () => {
      const found = findBreaches(files)
      assert.equal(found.length, 1, found.join('\n'))
      assert.match(found[0] ?? '', pattern)
    })
  }
})
