import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../lib/app-error.ts'
import { organizationRoleRules } from '../permissions/predefined-roles.ts'
import type { Rule } from '../permissions/rule.ts'
import { requireMayGrant } from './power.ts'

const admin = organizationRoleRules('admin')
const editor: Rule[] = [{ subject: 'member', action: ['read', 'edit'] }]
const connectTo = (connectionId: string, inverted = false): Rule => ({
  subject: 'app-connections',
  action: ['connect'],
  inverted,
  conditions: { connectionId },
})

describe('a role may be given by', () => {
  for (const [name, held, slug, rules] of [
    ['an administrator, whatever it holds', admin, 'admin', admin],
    ['whoever holds as much', editor, 'editor', editor],
    ['whoever holds the same under the same conditions', [connectTo('a')], 'connector', [connectTo('a')]],
    ['whoever holds it without conditions', admin, 'connector', [connectTo('a')]],
    ['anyone who edits members, when it is an ordinary one', editor, 'member', organizationRoleRules('member')],
    ['anyone who edits members, when it holds nothing', editor, 'no-access', []],
    ['anyone who edits members, when it only denies', editor, 'denier', [connectTo('a', true)]],
  ] as const) {
    test(name, () => requireMayGrant(held, slug, rules))
  }
})

describe('a role may not be given by', () => {
  for (const [name, held, slug, rules, missing] of [
    ['whoever edits members, when it is the administrator', editor, 'admin', admin, 20],
    ['someone who lacks one action', editor, 'deleter', [{ subject: 'member', action: ['read', 'delete'] }], 1],
    ['someone who holds it under other conditions', [connectTo('a')], 'connector', [connectTo('b')], 1],
    ['someone who is denied it', [...admin, connectTo('a', true)], 'connector', [connectTo('a')], 1],
  ] as const) {
    test(name, () => {
      assert.throws(
        () => requireMayGrant(held, slug, rules),
        (error) => {
          assert.ok(error instanceof AppError)
          assert.equal(error.kind, 'boundary')
          assert.equal((error.details as { missingPermissions: unknown[] }).missingPermissions.length, missing)
          return true
        },
      )
    })
  }
})
