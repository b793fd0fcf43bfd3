import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { isSlug, randomSlug, slugFor, slugify } from './slug.ts'

describe('isSlug', () => {
  for (const slug of ['a', '0', 'read-db', 'a-b-c', 'x'.repeat(300)]) {
    test(`'${slug.slice(0, 20)}' is one`, () => assert.ok(isSlug(slug)))
  }
  for (const text of ['', '-', 'A', 'a_b', 'a b', '-a', 'a-', 'a--b', 'a/b', '../a', 'é', '😀', 'a.b', 'a\n', 'ａ']) {
    test(`${JSON.stringify(text)} is none`, () => assert.ok(!isSlug(text)))
  }
  test('a long near miss is refused at once', () => {
    assert.ok(!isSlug(`${'a-'.repeat(50_000)}!`))
  })
})

describe('slugify', () => {
  for (const [text, slug] of [
    ['My Project', 'my-project'],
    ['  Payments & Billing (EU) ', 'payments-billing-eu'],
    ['fooBar', 'foo-bar'],
    ['iUMeNgZg', 'i-u-me-ng-zg'],
    ['HTTPServer', 'http-server'],
    ['Crème Brûlée', 'creme-brulee'],
    ['ﬁne', 'fine'],
    ['--a__b--', 'a-b'],
    ['!!!', ''],
    ['日本', ''],
  ] as const) {
    test(`'${text}' becomes '${slug}'`, () => assert.equal(slugify(text), slug))
  }

  test('the result is a slug or empty, and is its own slug', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 50 }), (text) => {
        const slug = slugify(text)
        assert.ok(slug === '' || isSlug(slug))
        assert.equal(slugify(slug), slug)
      }),
    )
  })
})

describe('made-up slugs', () => {
  test('a random one has eight characters and differs each time', () => {
    const slugs = new Set(Array.from({ length: 1000 }, randomSlug))
    assert.equal(slugs.size, 1000)
    for (const slug of slugs) assert.match(slug, /^[a-z0-9]{8}$/)
  })

  test('one for a name ends in four random characters', () => {
    assert.match(slugFor('My Team', 64), /^my-team-[a-z0-9]{4}$/)
    assert.notEqual(slugFor('x', 64), slugFor('x', 64))
  })

  test('a name that leaves nothing gets a random one', () => {
    assert.match(slugFor('???', 64), /^[a-z0-9]{8}$/)
  })

  test('a long name is cut so that the whole fits, and stays a slug', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), fc.integer({ min: 8, max: 64 }), (name, charactersMax) => {
        const slug = slugFor(name, charactersMax)
        assert.ok(isSlug(slug) && slug.length <= charactersMax)
      }),
    )
  })
})
