import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { packRule } from './packed-rules.ts'
import type { Rule } from './rule.ts'
import { requireSoundCombinations } from './rule-combinations.ts'

const rule = (subject: string, action: readonly string[], ...fields: readonly string[]): Rule => ({
  subject,
  action,
  ...(fields.length > 0 && { conditions: Object.fromEntries(fields.map((field) => [field, 'x'])) }),
})

describe('rules whose parts do not go together', () => {
  for (const refused of [
    rule('secrets', ['read', 'readValue']),
    rule('secrets', ['describeSecret', 'edit', 'read']),
    rule('member', ['grant-privileges', 'assign-role']),
    rule('member', ['grant-privileges', 'assign-additional-privileges']),
    rule('identity', ['assign-role', 'grant-privileges']),
    rule('identity', ['grant-privileges', 'assign-additional-privileges']),
    rule('groups', ['grant-privileges', 'assign-role']),
    rule('member', ['assign-role'], 'assignableSubject'),
    rule('member', ['assign-role'], 'userEmail', 'assignableAction'),
    rule('member', ['assign-additional-privileges'], 'assignableRole'),
    rule('identity', ['read'], 'assignableRole'),
    rule('identity', ['create'], 'identityId'),
    rule('identity', ['edit', 'create'], 'identityId'),
    rule('identity', ['edit-auth'], 'assignableSubject'),
    rule('identity', ['assign-role'], 'assignableAction'),
    rule('identity', ['assign-additional-privileges'], 'assignableRole'),
    rule('identity', ['grant-privileges', 'delete-token'], 'assignableRole'),
  ]) {
    test(`${refused.subject} ${refused.action.join()} ${Object.keys(refused.conditions ?? {}).join()} is refused`, () => {
      assert.throws(() => requireSoundCombinations([rule('role', ['read']), refused]), { kind: 'bad-request' })
    })
  }

  for (const accepted of [
    rule('secrets', ['read']),
    rule('secrets', ['readValue', 'describeSecret', 'edit'], 'environment'),
    rule('secret-imports', ['read', 'edit'], 'environment'),
    rule('member', ['grant-privileges'], 'userEmail', 'assignableRole', 'assignableSubject', 'assignableAction'),
    rule('member', ['assign-role'], 'userEmail', 'assignableRole'),
    rule('member', ['assign-additional-privileges'], 'userEmail', 'assignableSubject', 'assignableAction'),
    rule('member', ['read'], 'assignableRole'),
    rule('identity', ['grant-privileges'], 'identityId', 'assignableRole', 'assignableSubject', 'assignableAction'),
    rule('identity', ['assign-role', 'read'], 'identityId'),
    rule('identity', ['create']),
    rule('groups', ['assign-role'], 'groupName', 'assignableRole'),
    rule('groups', ['delete'], 'assignableRole'),
    rule('ssh-hosts', ['read', 'readValue', 'toString'], 'anything'),
  ]) {
    test(`${accepted.subject} ${accepted.action.join()} ${Object.keys(accepted.conditions ?? {}).join()} is fine`, () => {
      assert.doesNotThrow(() => requireSoundCombinations([accepted]))
    })
  }
})

describe('packed rules', () => {
  const conditions = { environment: 'dev' }
  for (const [unpacked, packed] of [
    [{ subject: 'role', action: ['read'] }, ['read', 'role']],
    [{ subject: 'secrets', action: ['read', 'edit'], conditions }, ['read,edit', 'secrets', conditions]],
    [{ subject: 'secrets', action: ['read'], inverted: true }, ['read', 'secrets', 0, 1]],
    [{ subject: 'secrets', action: ['read'], inverted: true, conditions }, ['read', 'secrets', conditions, 1]],
    [{ subject: 'secrets', action: ['read'], inverted: false, conditions: {} }, ['read', 'secrets', {}]],
  ] as const) {
    test(JSON.stringify(packed), () => assert.deepEqual(packRule(unpacked), packed))
  }
})
