import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Ability } from './ability.ts'
import type { ProjectSubjects } from './catalogue/project.ts'
import { requireMayAssignPrivileges, requireMayAssignRole } from './delegation.ts'
import type { Conditions, Rule } from './rule.ts'

const holding = (...rules: readonly Rule[]) =>
  new Ability<ProjectSubjects>([{ rules }], {
    clock: { now: () => 0 },
    values: { id: 'a', username: 'a', metadata: {}, auth: {} },
  })

const may = (subject: string, action: string, conditions?: Conditions): Rule => ({
  subject,
  action: [action],
  conditions,
})
const mayNot = (subject: string, action: string, conditions?: Conditions): Rule => ({
  ...may(subject, action, conditions),
  inverted: true,
})

const refuses = (action: string, subject: string, work: () => void) =>
  assert.throws(work, { kind: 'boundary', details: { missingPermissions: [{ action, subject }] } })

const TARGET = { subject: 'identity', fields: { identityId: 'target' } } as const
const READ_SECRETS: Rule = { subject: 'secrets', action: ['readValue', 'describeSecret'] }
const EDIT_ROLES: Rule = { subject: 'role', action: ['edit'] }

describe('assigning privileges', () => {
  const ASSIGN = 'assign-additional-privileges'
  const inBounds = (ability: ReturnType<typeof holding>, rules: readonly Rule[]) =>
    requireMayAssignPrivileges(ability, TARGET, rules)

  for (const [held, reason] of [
    [[may('identity', ASSIGN)], 'the action is held'],
    [[may('identity', 'grant-privileges')], 'the older action is held'],
    [[may('identity', ASSIGN, { identityId: 'target' })], 'it is held for this identity'],
    [[may('identity', ASSIGN, { assignableSubject: { $in: ['secrets', 'role'] } })], 'the subjects are assignable'],
    [[may('identity', ASSIGN, { assignableAction: { $glob: '{secrets:*,role:edit}' } })], 'the actions are assignable'],
    [
      [
        may('identity', ASSIGN, { assignableSubject: 'secrets' }),
        may('identity', ASSIGN, { assignableAction: 'role:edit' }),
      ],
      'two rules together cover them',
    ],
    [[may('identity', ASSIGN), may('identity', ASSIGN, { assignableSubject: 'x' })], 'one rule covers everything'],
  ] as const) {
    test(`is allowed when ${reason}`, () => inBounds(holding(...held), [READ_SECRETS, EDIT_ROLES]))
  }

  for (const [held, reason] of [
    [[], 'nothing is held'],
    [[may('identity', 'edit')], 'only another action is held'],
    [[may('member', ASSIGN)], 'it is held for another kind of actor'],
    [[may('identity', ASSIGN, { identityId: 'other' })], 'it is held for another identity'],
    [[may('identity', ASSIGN, { assignableSubject: 'secrets' })], 'a subject is not assignable'],
    [[may('identity', ASSIGN, { assignableAction: { $in: ['secrets:readValue', 'role:edit'] } })], 'an action is not'],
    [[may('identity', ASSIGN, { identityId: 'other', assignableSubject: { $glob: '*' } })], 'the identity is another'],
    [[may('identity', ASSIGN), mayNot('identity', ASSIGN)], 'it is denied'],
    [[may('identity', ASSIGN), mayNot('identity', ASSIGN, { assignableSubject: 'role' })], 'a subject is denied'],
    [[may('identity', ASSIGN), mayNot('identity', ASSIGN, { assignableAction: 'role:edit' })], 'an action is denied'],
  ] as const) {
    test(`is refused when ${reason}`, () => {
      refuses(ASSIGN, 'identity', () => inBounds(holding(...held), [READ_SECRETS, EDIT_ROLES]))
    })
  }

  test('also looks at rules that deny, and at subjects that are gone', () => {
    const ability = holding(may('identity', ASSIGN, { assignableSubject: 'secrets' }))
    refuses(ASSIGN, 'identity', () => inBounds(ability, [{ ...EDIT_ROLES, inverted: true }]))
    refuses(ASSIGN, 'identity', () => inBounds(ability, [{ subject: 'ssh-hosts', action: ['read'] }]))
  })

  test('without any rule still takes the right to assign to this identity', () => {
    const conditions = { identityId: 'other', assignableSubject: 'secrets' }
    refuses(ASSIGN, 'identity', () => inBounds(holding(may('identity', ASSIGN, conditions)), []))
    inBounds(holding(may('identity', ASSIGN, { ...conditions, identityId: 'target' })), [])
  })

  test('works for people by their e-mail', () => {
    const person = { subject: 'member', fields: { userEmail: 'a@example.com' } } as const
    const ability = holding(may('member', ASSIGN, { userEmail: { $glob: '*@example.com' } }))
    requireMayAssignPrivileges(ability, person, [READ_SECRETS])
    const stranger = { subject: 'member', fields: { userEmail: 'a@example.org' } } as const
    refuses(ASSIGN, 'member', () => requireMayAssignPrivileges(ability, stranger, [READ_SECRETS]))
  })
})

describe('assigning a role', () => {
  const RECIPIENTS = [
    TARGET,
    { subject: 'member', fields: { userEmail: 'a@example.com' } },
    { subject: 'groups', fields: { groupName: 'ops' } },
  ] as const

  for (const recipient of RECIPIENTS) {
    const { subject, fields } = recipient

    test(`to ${subject} takes the right to assign it`, () => {
      requireMayAssignRole(holding(may(subject, 'assign-role')), recipient, 'admin')
      requireMayAssignRole(holding(may(subject, 'grant-privileges')), recipient, 'admin')
      requireMayAssignRole(
        holding(may(subject, 'assign-role', { ...fields, assignableRole: 'viewer' })),
        recipient,
        'viewer',
      )
      const limited = holding(may(subject, 'assign-role', { assignableRole: { $in: ['viewer'] } }))
      refuses('assign-role', subject, () => requireMayAssignRole(limited, recipient, 'admin'))
      refuses('assign-role', subject, () => requireMayAssignRole(holding(may(subject, 'edit')), recipient, 'viewer'))
      const denied = holding(may(subject, 'assign-role'), mayNot(subject, 'assign-role', { assignableRole: 'admin' }))
      refuses('assign-role', subject, () => requireMayAssignRole(denied, recipient, 'admin'))
    })

    test(`of no access to ${subject} takes none`, () => requireMayAssignRole(holding(), recipient, 'no-access'))
  }
})
