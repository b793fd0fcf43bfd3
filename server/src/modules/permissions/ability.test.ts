import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../lib/app-error.ts'
import { Ability } from './ability.ts'
import type { OrganizationSubjects } from './catalogue/organization.ts'
import type { ProjectSubjects } from './catalogue/project.ts'
import { projectRoleRules } from './predefined-roles.ts'
import type { Conditions, Grant, Rule } from './rule.ts'

const NOW = Date.UTC(2026, 0, 1)
const VALUES = { id: 'i-1', username: 'ci', metadata: { team: 'blue', wild: '**' }, auth: {} }
const clock = { now: () => NOW }

const abilityOf = (...grants: readonly Grant[]) => new Ability<ProjectSubjects>(grants, { clock, values: VALUES })
const holding = (...rules: readonly Rule[]) => abilityOf({ rules })

type Action = ProjectSubjects['secrets']['actions'][number]
const allow = (action: Action, conditions?: Conditions): Rule => ({ subject: 'secrets', action: [action], conditions })
const deny = (action: Action, conditions?: Conditions): Rule => ({ ...allow(action, conditions), inverted: true })

const DEV = { environment: 'dev', secretPath: '/app', secretName: 'KEY', secretTags: ['a', 'b'] }
const PROD = { ...DEV, environment: 'prod' }

describe('without a deny', () => {
  test('nothing is allowed that no rule allows', () => {
    assert.ok(!holding().can('edit', 'secrets'))
    assert.ok(!holding().can('edit', 'secrets', DEV))
    assert.ok(!holding(allow('create')).can('edit', 'secrets', DEV))
    assert.ok(!holding({ subject: 'secret-imports', action: ['edit'] }).can('edit', 'secrets', DEV))
    assert.ok(!holding({ subject: 'all', action: ['manage'] }).can('edit', 'secrets', DEV))
  })

  test('an unconditional rule allows its actions everywhere', () => {
    const ability = holding({ subject: 'secrets', action: ['edit', 'create'] })
    assert.ok(ability.can('edit', 'secrets'))
    assert.ok(ability.can('create', 'secrets', PROD))
    assert.ok(holding(allow('edit', {})).can('edit', 'secrets', PROD))
  })

  test('a conditional rule allows where it matches, and the subject as such', () => {
    const ability = holding(allow('edit', { environment: 'dev' }))
    assert.ok(ability.can('edit', 'secrets', DEV))
    assert.ok(!ability.can('edit', 'secrets', PROD))
    assert.ok(!ability.can('edit', 'secrets', {}))
    assert.ok(ability.can('edit', 'secrets'))
  })

  test('several rules add up', () => {
    const ability = abilityOf(
      { rules: [allow('edit', { environment: 'dev' })] },
      { rules: [allow('edit', { environment: 'prod' })] },
    )
    assert.ok(ability.can('edit', 'secrets', DEV))
    assert.ok(ability.can('edit', 'secrets', PROD))
  })
})

describe('a deny', () => {
  const inProd = deny('edit', { environment: 'prod' })

  test('beats every allow, whatever the order and source', () => {
    for (const ability of [
      holding(allow('edit'), inProd),
      holding(inProd, allow('edit')),
      abilityOf({ rules: [inProd] }, { rules: [allow('edit')] }),
      abilityOf({ rules: [allow('edit', { environment: 'prod' })] }, { rules: [allow('edit'), inProd, allow('edit')] }),
    ]) {
      assert.ok(ability.can('edit', 'secrets', DEV))
      assert.ok(!ability.can('edit', 'secrets', PROD))
    }
  })

  test('that is conditional does not deny the subject as such, an unconditional one does', () => {
    assert.ok(holding(allow('edit'), inProd).can('edit', 'secrets'))
    assert.ok(!holding(allow('edit'), deny('edit')).can('edit', 'secrets'))
    assert.ok(!holding(allow('edit'), deny('edit', {})).can('edit', 'secrets'))
  })

  test('of one action leaves the others', () => {
    assert.ok(holding(allow('edit'), allow('create'), deny('create')).can('edit', 'secrets', DEV))
  })
})

describe('actions that were split off an older one', () => {
  test('are allowed by it', () => {
    const ability = holding(allow('read', { environment: 'dev' }))
    assert.ok(ability.can('readValue', 'secrets', DEV))
    assert.ok(ability.can('describeSecret', 'secrets', DEV))
    assert.ok(!ability.can('readValue', 'secrets', PROD))
    assert.ok(!ability.can('edit', 'secrets', DEV))
  })

  test('do not allow it', () => {
    assert.ok(!holding(allow('readValue'), allow('describeSecret')).can('read', 'secrets', DEV))
  })

  test('deny it when denied, and with it the other ones', () => {
    const ability = holding(allow('read'), deny('readValue'))
    assert.ok(!ability.can('readValue', 'secrets', DEV))
    assert.ok(!ability.can('read', 'secrets', DEV))
    assert.ok(!ability.can('describeSecret', 'secrets', DEV))
  })

  test('are not denied when only the older one is', () => {
    const ability = holding(allow('readValue'), deny('read'))
    assert.ok(ability.can('readValue', 'secrets', DEV))
    assert.ok(!ability.can('describeSecret', 'secrets', DEV))
  })

  test('of a deny in one place are denied only there', () => {
    const ability = holding(allow('read'), deny('describeSecret', { environment: 'prod' }))
    assert.ok(ability.can('readValue', 'secrets', DEV))
    assert.ok(!ability.can('readValue', 'secrets', PROD))
  })
})

describe('temporary grants', () => {
  const at = (now: number, ...grants: readonly Grant[]) =>
    new Ability<ProjectSubjects>(grants, { clock: { now: () => now }, values: VALUES })
  const validity = { startsAt: NOW, endsAt: NOW + 1000 }
  const granted = { rules: [allow('edit')], validity }
  const denied = { rules: [deny('edit')], validity }

  for (const [now, isUsable, moment] of [
    [NOW - 1, false, 'just before the start'],
    [NOW, true, 'at the start'],
    [NOW + 999, true, 'just before the end'],
    [NOW + 1000, false, 'at the end'],
  ] as const) {
    test(`are ${isUsable ? '' : 'not '}usable ${moment}`, () => {
      assert.equal(at(now, granted).can('edit', 'secrets'), isUsable)
      assert.equal(at(now, granted).can('edit', 'secrets', DEV), isUsable)
      assert.equal(at(now, granted).canSome('edit', 'secrets', {}), isUsable)
      assert.equal(at(now, granted).within('edit', 'secrets', DEV)({}), isUsable)
      assert.equal(at(now, granted).activeRules().length, isUsable ? 1 : 0)
    })
    test(`deny ${isUsable ? 'what they deny' : 'nothing'} ${moment}`, () => {
      assert.equal(at(now, { rules: [allow('edit')] }, denied).can('edit', 'secrets'), !isUsable)
      assert.equal(at(now, { rules: [allow('edit')] }, denied).can('edit', 'secrets', DEV), !isUsable)
    })
  }

  test('are looked at with each question', () => {
    let now = NOW
    const ability = new Ability<ProjectSubjects>([granted], { clock: { now: () => now }, values: VALUES })
    assert.ok(ability.can('edit', 'secrets', DEV))
    now = NOW + 1000
    assert.ok(!ability.can('edit', 'secrets', DEV))
  })

  test('tell when the next one begins or ends', () => {
    const later = { rules: [], validity: { startsAt: NOW + 500, endsAt: NOW + 5000 } }
    assert.equal(at(NOW).nextChangeAt(), undefined)
    assert.equal(at(NOW, { rules: [] }).nextChangeAt(), undefined)
    assert.equal(at(NOW - 1, granted, later).nextChangeAt(), NOW)
    assert.equal(at(NOW, granted, later).nextChangeAt(), NOW + 500)
    assert.equal(at(NOW + 500, granted, later).nextChangeAt(), NOW + 1000)
    assert.equal(at(NOW + 1000, granted, later).nextChangeAt(), NOW + 5000)
    assert.equal(at(NOW + 5000, granted, later).nextChangeAt(), undefined)
  })
})

describe('require', () => {
  const refusal = (ability: Ability<ProjectSubjects>, ...question: Parameters<typeof ability.require<'secrets'>>) => {
    try {
      ability.require(...question)
    } catch (error) {
      assert.ok(error instanceof AppError)
      return error
    }
    return undefined
  }

  test('says nothing when it is allowed', () => {
    assert.equal(refusal(holding(allow('edit')), 'edit', 'secrets', DEV), undefined)
  })

  test('names action and subject, and tells that there is no rule', () => {
    const error = refusal(holding(allow('create')), 'edit', 'secrets')
    assert.equal(error?.kind, 'permission-denied')
    assert.match(error.message, /edit on secrets/)
    assert.deepEqual(error.details, [])
  })

  test('tells the rules that were considered, denies last', () => {
    const error = refusal(
      abilityOf(
        { rules: [deny('edit', { environment: 'dev' }), { subject: 'secrets', action: ['create', 'edit'] }] },
        { rules: [allow('edit')], validity: { startsAt: 0, endsAt: 1 } },
        { rules: [allow('create'), { subject: 'secret-imports', action: ['edit'] }] },
      ),
      'edit',
      'secrets',
      DEV,
    )
    assert.deepEqual(error?.details, [
      { action: ['create', 'edit'], inverted: false, subject: 'secrets' },
      { action: ['edit'], inverted: true, subject: 'secrets', conditions: { environment: 'dev' } },
    ])
  })

  test('tells those about the older action too', () => {
    const error = refusal(
      holding(allow('read', { environment: 'prod' }), deny('describeSecret')),
      'readValue',
      'secrets',
      DEV,
    )
    assert.deepEqual(error?.details, [
      { action: ['read'], inverted: false, subject: 'secrets', conditions: { environment: 'prod' } },
      { action: ['describeSecret'], inverted: true, subject: 'secrets' },
    ])
  })
})

describe('canSome', () => {
  for (const [rules, known, expected, reason] of [
    [[allow('edit')], {}, true, 'a rule has no conditions'],
    [[], {}, false, 'there is no rule'],
    [[allow('edit', { environment: 'dev' })], { environment: 'dev' }, true, 'what is known fits'],
    [[allow('edit', { environment: 'dev' })], { environment: 'prod' }, false, 'what is known does not fit'],
    [[allow('edit', { environment: 'dev', secretName: 'A' })], { environment: 'dev' }, true, 'the rest may fit'],
    [[allow('edit', { secretName: 'A' })], { secretName: undefined }, false, 'a field is known to be missing'],
    [[allow('edit'), deny('edit', { environment: 'dev' })], { environment: 'dev' }, false, 'all such are denied'],
    [[allow('edit'), deny('edit', { secretName: 'A' })], { environment: 'dev' }, true, 'only some are denied'],
    [[allow('edit'), deny('edit')], {}, false, 'everything is denied'],
  ] as const) {
    test(`is ${expected} when ${reason}`, () => {
      assert.equal(holding(...rules).canSome('edit', 'secrets', known), expected)
    })
  }

  test('counts the older action', () => {
    assert.ok(holding(allow('read', { secretName: 'A' })).canSome('readValue', 'secrets', { environment: 'dev' }))
  })

  test('answers for subjects without conditions', () => {
    assert.ok(holding({ subject: 'role', action: ['read'] }).canSome('read', 'role', undefined))
  })
})

describe('within', () => {
  test('answers as can does, with some fields settled', () => {
    const ability = holding(
      allow('read', { environment: 'dev', secretName: { $glob: 'DB_*' } }),
      allow('readValue', { environment: 'prod' }),
      deny('readValue', { environment: 'dev', secretTags: { $in: ['hidden'] } }),
    )
    const inDev = ability.within('readValue', 'secrets', { environment: 'dev', secretPath: '/' })
    assert.ok(inDev({ secretName: 'DB_URL', secretTags: [] }))
    assert.ok(!inDev({ secretName: 'API', secretTags: [] }))
    assert.ok(!inDev({ secretName: 'DB_URL', secretTags: ['hidden'] }))
    assert.ok(ability.within('readValue', 'secrets', { environment: 'prod' })({ secretName: 'ANY' }))
    assert.ok(!ability.within('readValue', 'secrets', { environment: 'test' })({ secretName: 'DB_URL' }))
  })

  test('answers for subjects without conditions', () => {
    assert.ok(holding({ subject: 'role', action: ['read'] }).within('read', 'role', undefined)({}))
  })
})

test('rules about products that are gone grant nothing else', () => {
  const ability = holding({ subject: 'ssh-hosts', action: ['read', 'edit'] })
  assert.ok(!ability.can('read', 'role') && !ability.can('edit', 'secrets', DEV))
})

test('the same engine serves organizations', () => {
  const ability = new Ability<OrganizationSubjects>(
    [{ rules: [{ subject: 'app-connections', action: ['connect'], conditions: { connectionId: 'c-1' } }] }],
    { clock, values: VALUES },
  )
  assert.ok(ability.can('connect', 'app-connections', { connectionId: 'c-1' }))
  assert.ok(!ability.can('connect', 'app-connections', { connectionId: 'c-2' }))
  assert.ok(!ability.can('read', 'role'))
})

describe('predefined roles', () => {
  for (const [role, canRead, canEdit, canAssign] of [
    ['admin', true, true, true],
    ['member', true, true, false],
    ['viewer', true, false, false],
    ['no-access', false, false, false],
  ] as const) {
    test(`${role} reads ${canRead}, edits ${canEdit}, assigns ${canAssign}`, () => {
      const ability = abilityOf({ rules: projectRoleRules(role) })
      assert.equal(ability.can('readValue', 'secrets', PROD), canRead)
      assert.equal(ability.can('describeSecret', 'secrets', PROD), canRead)
      assert.equal(ability.can('edit', 'secrets', PROD), canEdit)
      assert.equal(ability.can('assign-role', 'identity', { identityId: 'x', assignableRole: 'admin' }), canAssign)
    })
  }
})
