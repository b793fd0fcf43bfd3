import fc from 'fast-check'
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CannotOpenError } from './aead.ts'
import { generateDataKey } from './data-key.ts'
import { ProcessSeal } from './process-seal.ts'
import { keyIdOf, open, seal, type SealContext } from './sealing.ts'

const OVERHEAD_BYTES = 45
const NONCE_AT = 17
const NONCE_BYTES = 12
const VALUE_BYTES_MAX = 1_048_576

const key = generateDataKey()
const context: SealContext = {
  purpose: 'secret',
  organizationId: '6f1c1a44-5b3e-4f5e-9a57-0d7c3f0c8f01',
  projectId: '6f1c1a44-5b3e-4f5e-9a57-0d7c3f0c8f02',
  folderId: '6f1c1a44-5b3e-4f5e-9a57-0d7c3f0c8f03',
  rowId: '6f1c1a44-5b3e-4f5e-9a57-0d7c3f0c8f04',
  version: 3,
  field: 'value',
}

const text = () => fc.string({ unit: 'binary-ascii', maxLength: 40 })
const anyContext = (): fc.Arbitrary<SealContext> =>
  fc.record({
    purpose: text(),
    organizationId: fc.option(text()),
    projectId: fc.option(text()),
    folderId: fc.option(text()),
    rowId: fc.option(text()),
    version: fc.option(fc.nat()),
    field: text(),
  })
const bytes = (maxLength = 200) => fc.uint8Array({ maxLength }).map((array) => Buffer.from(array))

const refuses = (work: () => unknown) => assert.throws(work, new CannotOpenError())

describe('a sealed value', () => {
  test('opens to what was sealed, whatever it is and wherever it lives', () => {
    fc.assert(
      fc.property(bytes(), anyContext(), (plaintext, anywhere) => {
        const sealed = seal(key, plaintext, anywhere)
        assert.deepEqual(open(key, sealed, anywhere), plaintext)
        assert.equal(sealed.length, plaintext.length + OVERHEAD_BYTES)
      }),
    )
  })

  test('is refused in any other place', () => {
    fc.assert(
      fc.property(anyContext(), anyContext(), (here, there) => {
        fc.pre(Object.entries(here).some(([member, value]) => there[member as keyof SealContext] !== value))
        const sealed = seal(key, 'value', here)
        refuses(() => open(key, sealed, there))
      }),
    )
  })

  for (const [member, other] of Object.entries({
    purpose: 'tag',
    organizationId: '6f1c1a44-5b3e-4f5e-9a57-0d7c3f0c8fff',
    projectId: '6f1c1a44-5b3e-4f5e-9a57-0d7c3f0c8fff',
    folderId: '6f1c1a44-5b3e-4f5e-9a57-0d7c3f0c8fff',
    rowId: null,
    version: 4,
    field: 'comment',
  })) {
    test(`is refused when its ${member} is another`, () => {
      const sealed = seal(key, 'value', context)
      refuses(() => open(key, sealed, { ...context, [member]: other }))
    })
  }

  test('is refused when two neighbouring members are swapped or their border moves', () => {
    const sealed = seal(key, 'value', { ...context, folderId: 'ab', rowId: 'c' })
    refuses(() => open(key, sealed, { ...context, folderId: 'a', rowId: 'bc' }))
    refuses(() => open(key, sealed, { ...context, folderId: 'c', rowId: 'ab' }))
  })

  test('is refused when only a half of a surrogate pair is another', () => {
    const sealed = seal(key, 'value', { ...context, rowId: '\ud800' })
    refuses(() => open(key, sealed, { ...context, rowId: '\ud801' }))
  })

  test('is refused when any bit is flipped', () => {
    const sealed = seal(key, 'a value', context)
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const changed = Buffer.from(sealed)
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
      refuses(() => open(key, changed, context))
    }
  })

  test('is refused when it is cut short at either end or made longer', () => {
    const sealed = seal(key, 'a value', context)
    for (let length = 0; length < sealed.length; length++) {
      refuses(() => open(key, sealed.subarray(0, length), context))
      refuses(() => open(key, sealed.subarray(sealed.length - length), context))
    }
    refuses(() => open(key, Buffer.concat([sealed, Buffer.alloc(1)]), context))
  })

  test('is refused under another key, also under one with the same id', () => {
    const sealed = seal(key, 'value', context)
    const other = generateDataKey()
    refuses(() => open(other, sealed, context))
    refuses(() => open({ ...other, id: key.id, idBytes: key.idBytes }, sealed, context))
  })

  test('is refused when random bytes stand in its place', () => {
    fc.assert(fc.property(bytes(), (noise) => refuses(() => open(key, noise, context))))
  })

  test('tells the id of its key', () => {
    assert.equal(keyIdOf(seal(key, 'value', context)), key.id)
    refuses(() => keyIdOf(Buffer.alloc(0)))
    refuses(() => keyIdOf(Buffer.alloc(100)))
    refuses(() => keyIdOf(Buffer.from([1, 2, 3])))
  })

  test('may be empty, or one mebibyte long', () => {
    assert.equal(open(key, seal(key, '', context), context).length, 0)
    const large = Buffer.alloc(VALUE_BYTES_MAX, 'x')
    assert.ok(open(key, seal(key, large, context), context).equals(large))
  })

  test('keeps text as UTF-8', () => {
    assert.equal(open(key, seal(key, 'zażółć 🔑', context), context).toString(), 'zażółć 🔑')
  })

  test('never shares its nonce with another', () => {
    const count = 2 ** 17
    const nonces = new Set<string>()
    for (let i = 0; i < count; i++) {
      nonces.add(seal(key, '', context).toString('latin1', NONCE_AT, NONCE_AT + NONCE_BYTES))
    }
    assert.equal(nonces.size, count)
  })
})

describe('a block sealed for the life of the process', () => {
  const process = new ProcessSeal()

  test('opens under its own name, in the same process', () => {
    assert.equal(process.open(process.seal('content', 'folder 1'), 'folder 1').toString(), 'content')
  })

  test('is refused under another name, in another process, or when changed', () => {
    const sealed = process.seal('content', 'folder 1')
    refuses(() => process.open(sealed, 'folder 2'))
    refuses(() => new ProcessSeal().open(sealed, 'folder 1'))
    refuses(() => process.open(sealed.subarray(1), 'folder 1'))
    refuses(() => process.open(Buffer.alloc(0), 'folder 1'))
  })
})
