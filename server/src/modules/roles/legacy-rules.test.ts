import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { Rule } from '../permissions/rule.ts'
import { withCompanions, withoutCompanions } from './legacy-rules.ts'

const CONDITIONS = { environment: 'dev', secretPath: { $glob: '/**' } }
const on = (subject: string, ...action: string[]): Rule => ({
  subject,
  action,
  inverted: false,
  conditions: CONDITIONS,
})

const action = fc.constantFrom('read', 'create', 'edit', 'delete')
const rule = fc.record({
  subject: fc.constantFrom('secrets', 'secret-folders', 'secret-imports', 'dynamic-secrets', 'role', 'environments'),
  action: fc.uniqueArray(action, { minLength: 1, maxLength: 4 }),
  inverted: fc.boolean(),
  conditions: fc.constantFrom({ environment: 'dev' }, { environment: 'prod' }),
})

describe('rules in the older words', () => {
  test('bring with secrets what belongs to them', () => {
    assert.deepEqual(withCompanions([on('secrets', 'read'), on('secrets', 'edit')]), [
      on('secrets', 'read'),
      on('secrets', 'edit'),
      on('secret-imports', 'read'),
      on('secret-imports', 'edit'),
      on('dynamic-secrets', 'read-root-credential'),
      on('dynamic-secrets', 'edit-root-credential', 'lease'),
      on('secret-folders', 'edit'),
    ])
  })

  test('leave folders alone when they speak of them', () => {
    const rules = [on('secrets', 'delete'), on('secret-folders', 'read')]
    assert.deepEqual(withCompanions(rules).slice(2), [
      on('secret-imports', 'delete'),
      on('dynamic-secrets', 'delete-root-credential'),
    ])
  })

  test('deny the companions of what they deny', () => {
    const denied = { ...on('secrets', 'create'), inverted: true }
    assert.ok(withCompanions([denied]).every(({ inverted }) => inverted))
  })

  test('come back just as they were given', () => {
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 8 }), (rules) => {
        assert.deepEqual(withoutCompanions(withCompanions(rules)), rules)
      }),
    )
  })

  test('show of other rules what they have words for', () => {
    const rules = [
      on('secrets', 'readValue'),
      on('secret-imports', 'read'),
      on('dynamic-secrets', 'lease'),
      on('secret-folders', 'edit'),
      on('secret-folders', 'read', 'edit'),
      on('role', 'read'),
    ]
    assert.deepEqual(withoutCompanions(rules), [
      on('secrets', 'readValue'),
      on('secret-folders', 'read'),
      on('role', 'read'),
    ])
  })
})
