import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'node:test'
import { childPath, lineage, parentPath, parsePath, rangeBelow } from './folder-paths.ts'
import { rewritten } from './reference-rewrites.ts'
import { hasReference, parseReferences } from './references.ts'

for (const [value, expected] of [
  ['plain', ['plain']],
  ['', []],
  ['${A}', [{ text: '${A}', key: 'A' }]],
  ['${dev.A}', [{ text: '${dev.A}', key: 'A', environment: 'dev', path: '/' }]],
  ['x${dev.a.b.K-1}y', ['x', { text: '${dev.a.b.K-1}', key: 'K-1', environment: 'dev', path: '/a/b' }, 'y']],
  ['${@p.dev.a.K}', [{ text: '${@p.dev.a.K}', key: 'K', environment: 'dev', path: '/a', project: 'p' }]],
  ['${@p.K} ${@p} ${@.dev.A} ${a b} ${} ${a..b} ${.a}', ['${@p.K} ${@p} ${@.dev.A} ${a b} ${} ${a..b} ${.a}']],
  ['$${A}}', ['$', { text: '${A}', key: 'A' }, '}']],
] as const) {
  test(`'${value}' is cut at its references`, () => assert.deepEqual(parseReferences(value), expected))
}

test('what a value is cut into is the value', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('$', '{', '}', 'a', '.', '@', '-') }), (value) => {
      const text = parseReferences(value).map((part) => (typeof part === 'string' ? part : part.text))
      assert.equal(text.join(''), value)
      if (parseReferences(value).some((part) => typeof part !== 'string')) assert.ok(hasReference(value))
    }),
  )
})

const HOME = { environment: 'dev', path: '/a' }
const RENAMED = { from: { ...HOME, key: 'OLD' }, to: { ...HOME, key: 'NEW' } }
const MOVED = { from: { ...HOME, key: 'OLD' }, to: { environment: 'prod', path: '/b/c', key: 'OLD' } }
const UNNAMEABLE = { from: { ...HOME, key: 'OLD' }, to: { ...HOME, key: 'with space' } }

for (const [value, renaming, expected] of [
  ['x${OLD}y${OLD}', RENAMED, 'x${NEW}y${NEW}'],
  ['${dev.a.OLD} ${dev.OLD} ${prod.a.OLD}', RENAMED, '${dev.a.NEW} ${dev.OLD} ${prod.a.OLD}'],
  ['${OLD} ${@p.dev.a.OLD}', MOVED, '${prod.b.c.OLD} ${@p.dev.a.OLD}'],
  ['${OLD}', UNNAMEABLE, '${OLD}'],
] as const) {
  test(`'${value}' becomes '${expected}'`, () => assert.equal(rewritten(value, HOME, [renaming]), expected))
}

for (const [text, expected] of [
  ['', '/'],
  ['/', '/'],
  ['a', '/a'],
  ['/a/', '/a'],
  ['/a/b_c-1', '/a/b_c-1'],
  ['//', '/'],
  ['/a//b', undefined],
  ['/a.b', undefined],
  ['/..', undefined],
  ['/' + 'x'.repeat(3_000), undefined],
] as const) {
  test(`the path '${text.slice(0, 20)}' is ${expected ?? 'none'}`, () => assert.equal(parsePath(text), expected))
}

test('a path lies below its parents and below nothing else', () => {
  const name = fc.string({ unit: fc.constantFrom('a', 'b', '-', '_', '0', 'Z'), minLength: 1, maxLength: 3 })
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.reduce(childPath, '/'))
  fc.assert(
    fc.property(path, path, (one, other) => {
      const { from, until } = rangeBelow(other)
      assert.equal(from < one && one < until, one !== other && lineage(one).includes(other))
      assert.equal(lineage(one).at(-2), parentPath(one))
    }),
  )
})
