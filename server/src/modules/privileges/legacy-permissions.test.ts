import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { grantedBy, legacyRulesOf } from './legacy-permissions.ts'

const conditions = { environment: 'dev' }
const short = ({ permissions }: ReturnType<typeof grantedBy>) =>
  permissions.map(({ subject, action }) => `${subject} ${action.join('+')}`)

describe('the older words', () => {
  test('for secrets stand for each action by itself and what comes with it', () => {
    const requested = [
      { subject: 'secrets', action: 'read', conditions },
      { subject: 'secrets', action: 'edit', conditions },
    ] as const
    const granted = grantedBy(requested)
    assert.deepEqual(short(granted), [
      'secrets read',
      'secrets edit',
      'secret-imports read',
      'secret-imports edit',
      'dynamic-secrets read-root-credential',
      'dynamic-secrets edit-root-credential+lease',
      'secret-folders edit',
    ])
    assert.ok(granted.permissions.every((rule) => rule.conditions === conditions && !rule.inverted))
    assert.deepEqual(legacyRulesOf(granted), [
      { subject: 'secrets', action: ['read'], conditions, inverted: false },
      { subject: 'secrets', action: ['edit'], conditions, inverted: false },
    ])
  })

  test('say write for three actions, and are shown as they were said', () => {
    const granted = grantedBy([{ subject: 'tags', action: 'write' }])
    assert.deepEqual(short(granted), ['tags create', 'tags edit', 'tags delete'])
    assert.deepEqual(legacyRulesOf(granted), [{ subject: 'tags', action: ['write'], inverted: false }])
  })

  test('about folders leave nothing to be added', () => {
    const granted = grantedBy([
      { subject: 'secrets', action: 'create' },
      { subject: 'secret-folders', action: 'delete' },
    ])
    assert.deepEqual(
      short(granted).filter((rule) => rule.startsWith('secret-folders')),
      ['secret-folders delete'],
    )
    assert.deepEqual(
      legacyRulesOf(granted).map(({ subject }) => subject),
      ['secrets', 'secret-folders'],
    )
  })

  test('for rules that came otherwise leave out what goes with secrets', () => {
    const rule = (subject: string) => ({ subject, action: ['read'], inverted: true })
    const permissions = ['secret-imports', 'secrets', 'dynamic-secrets', 'role', 'secret-folders'].map(rule)
    assert.deepEqual(legacyRulesOf({ permissions, requested: null }), [rule('secrets'), rule('role')])
  })
})
