import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Catalogue } from './catalogue/subject.ts'
import { ORGANIZATION_SUBJECTS } from './catalogue/organization.ts'
import { PROJECT_SUBJECTS } from './catalogue/project.ts'
import {
  isReservedOrganizationRole,
  isReservedProjectRole,
  ORGANIZATION_ROLES,
  organizationRoleRules,
  PROJECT_ROLES,
  projectRoleRules,
} from './predefined-roles.ts'

const actionsOf = (slug: string, subject: string) =>
  projectRoleRules(slug).find((rule) => rule.subject === subject)?.action ?? []

describe('predefined roles of a project', () => {
  test('are five, listed in a fixed order', () => {
    assert.deepEqual(
      PROJECT_ROLES.map(({ slug }) => slug),
      ['admin', 'member', 'cryptographic-operator', 'viewer', 'no-access'],
    )
  })

  for (const [slug, count] of [
    ['admin', 52],
    ['member', 37],
    ['viewer', 38],
    ['no-access', 0],
    ['cryptographic-operator', 1],
    ['custom', 0],
    ['developer', 0],
    ['__proto__', 0],
  ] as const) {
    test(`${slug} has ${count} rules`, () => assert.equal(projectRoleRules(slug).length, count))
  }

  test('admin holds every action but the reading of folders and some of code signers', () => {
    for (const [subject, { actions }] of Object.entries<Catalogue[string]>(PROJECT_SUBJECTS)) {
      const missing = actions.filter((action) => !actionsOf('admin', subject).includes(action))
      const expected = { 'secret-folders': ['read'], 'code-signers': ['edit', 'delete', 'sign'] }[subject] ?? []
      assert.deepEqual(missing, expected, subject)
    }
  })

  test('a member may edit identities but not hand out roles or privileges', () => {
    assert.deepEqual(actionsOf('member', 'identity'), ['read', 'create', 'edit', 'delete'])
    assert.deepEqual(actionsOf('member', 'member'), ['read', 'create'])
    assert.deepEqual(actionsOf('member', 'groups'), ['read'])
    assert.ok(!actionsOf('member', 'cmek').includes('export-private-key'))
    assert.equal(actionsOf('member', 'cmek').length, 11)
  })

  test('a viewer reads secrets by the newer actions only', () => {
    assert.deepEqual(actionsOf('viewer', 'secrets'), ['describeSecret', 'readValue'])
  })

  test('admin, member and viewer may subscribe to every kind of event', () => {
    for (const slug of ['admin', 'member', 'viewer']) {
      assert.equal(actionsOf(slug, 'secret-event-subscriptions').length, 4, slug)
    }
  })
})

describe('predefined roles of an organization', () => {
  test('have the ids that clients know', () => {
    assert.deepEqual(
      ORGANIZATION_ROLES.map(({ slug, id }) => [slug, id]),
      [
        ['admin', 'b11b49a9-09a9-4443-916a-4246f9ff2c69'],
        ['member', 'b11b49a9-09a9-4443-916a-4246f9ff2c70'],
        ['no-access', 'b10d49a9-09a9-4443-916a-4246f9ff2c72'],
      ],
    )
  })

  test('admin holds every action of every subject', () => {
    assert.deepEqual(
      Object.fromEntries(organizationRoleRules('admin').map(({ subject, action }) => [subject, action])),
      Object.fromEntries(Object.entries(ORGANIZATION_SUBJECTS).map(([subject, { actions }]) => [subject, actions])),
    )
  })

  test('a member holds no more on identities than the four plain actions', () => {
    const rule = organizationRoleRules('member').find(({ subject }) => subject === 'identity')
    assert.deepEqual(rule?.action, ['read', 'create', 'edit', 'delete'])
    assert.equal(organizationRoleRules('member').length, 17)
  })

  test('no-access and unknown roles hold nothing', () => {
    assert.deepEqual(organizationRoleRules('no-access'), [])
    assert.deepEqual(organizationRoleRules('toString'), [])
  })
})

test('every rule of a predefined role names actions of the catalogue, without conditions', () => {
  const check = (roles: typeof PROJECT_ROLES, catalogue: Catalogue) => {
    for (const { rules } of roles) {
      for (const { subject, action, ...rest } of rules) {
        assert.deepEqual(rest, {})
        assert.equal(new Set(action).size, action.length)
        for (const name of action) assert.ok(catalogue[subject]?.actions.includes(name), `${subject} ${name}`)
      }
    }
  }
  check(PROJECT_ROLES, PROJECT_SUBJECTS)
  check(ORGANIZATION_ROLES, ORGANIZATION_SUBJECTS)
})

test('ids are different', () => {
  const ids = [...PROJECT_ROLES, ...ORGANIZATION_ROLES].map(({ id }) => id)
  assert.equal(new Set(ids).size, 8)
})

test('the slugs of predefined roles and the marker of custom ones are reserved', () => {
  for (const slug of ['admin', 'member', 'custom', 'viewer', 'no-access', 'cryptographic-operator']) {
    assert.ok(isReservedProjectRole(slug), slug)
  }
  for (const slug of ['admin', 'member', 'custom', 'no-access']) assert.ok(isReservedOrganizationRole(slug), slug)
  assert.ok(!isReservedProjectRole('developer'))
  assert.ok(!isReservedOrganizationRole('viewer'))
})
