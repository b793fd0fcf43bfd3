import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DatabaseClock } from '../../platform/clock.ts'
import { Ability } from '../permissions/ability.ts'
import type { ProjectSubjects } from '../permissions/catalogue/project.ts'
import type { Rule } from '../permissions/rule.ts'
import { EVENT_NAMES } from './event-names.ts'
import { mayHearOf, SubscriptionFilter } from './subscription-filter.ts'

const PATHS = ['/', '/a', '/ab', '/a/b', '/a/b/c', '/b', '/c']

/** Which of the paths a pattern lets through. */
const TABLE: [pattern: string, matched: string[]][] = [
  ['/', ['/']],
  ['/a', ['/a']],
  ['/a/', []],
  ['/a/**/', []],
  ['/*', ['/a', '/ab', '/b', '/c']],
  ['/**', PATHS],
  ['**', PATHS],
  ['/a/**', ['/a', '/a/b', '/a/b/c']],
  ['/a/*', ['/a/b']],
  ['/**/c', ['/a/b/c']],
  ['/{a,b}', ['/a', '/b']],
  ['/a*', ['/a', '/ab']],
  ['/!(a)', ['/', '/ab', '/b', '/c']],
  ['!/a', ['/', '/ab', '/a/b', '/a/b/c', '/b', '/c']],
  ['*', ['/']],
  ['a', []],
  ['/A', []],
  ['', PATHS],
  ['[', []],
]

describe('the path of a subscription', () => {
  for (const [secretPath, matched] of TABLE) {
    test(`'${secretPath}' lets through ${matched.join(' ') || 'nothing'}`, () => {
      const filter = new SubscriptionFilter([{ event: 'secret:create', conditions: { secretPath } }])
      const wanted = PATHS.filter((path) => filter.wants({ name: 'secret:create', environment: 'dev', path }))
      assert.deepEqual(wanted, matched)
    })
  }
})

describe('an entry', () => {
  const place = { name: 'secret:update', environment: 'dev', path: '/a' } as const

  test('without conditions is about everything of its kind', () => {
    const filter = new SubscriptionFilter([{ event: 'secret:update' }])
    assert.ok(filter.wants(place))
    assert.ok(!filter.wants({ ...place, name: 'secret:create' }))
  })

  test('names its environment exactly, or with an empty name all of them', () => {
    const wants = (environmentSlug: string) =>
      new SubscriptionFilter([{ event: 'secret:update', conditions: { environmentSlug, secretPath: '' } }]).wants(place)
    assert.deepEqual(['dev', 'de', 'dev*', ''].map(wants), [true, false, false, true])
  })

  test('is one of several that each suffice', () => {
    const filter = new SubscriptionFilter([
      { event: 'secret:update', conditions: { environmentSlug: 'prod', secretPath: '/**' } },
      { event: 'secret:update', conditions: { environmentSlug: 'dev', secretPath: '/a' } },
    ])
    assert.ok(filter.wants(place))
  })
})

describe('the right to subscribe', () => {
  const action = ['subscribe-to-creation-events']
  const allow = (conditions?: object): Rule =>
    ({ subject: 'secret-event-subscriptions', action, ...(conditions && { conditions }) }) as Rule
  const ability = (...rules: Rule[]) =>
    new Ability<ProjectSubjects>([{ rules, validity: undefined }], {
      clock: new DatabaseClock(),
      values: { id: '', username: '', metadata: {}, auth: {} },
    })
  const isAllowed = (rules: Rule[], conditions?: { environmentSlug?: string; secretPath: string }) => {
    const filter = new SubscriptionFilter([{ event: 'secret:create', conditions }])
    try {
      filter.requireAllowed(ability(...rules), ['dev', 'prod'])
      return true
    } catch {
      return false
    }
  }

  test('is needed in all environments, present and to come, where none is named', () => {
    assert.ok(isAllowed([allow()]))
    assert.ok(!isAllowed([allow({ environment: 'dev' })]))
    assert.ok(!isAllowed([allow({ environment: { $in: ['dev', 'prod'] } })]))
    assert.ok(!isAllowed([allow(), { ...allow({ environment: 'prod' }), inverted: true }]))
  })

  test('is needed in the environment alone that is named', () => {
    assert.ok(isAllowed([allow({ environment: 'dev' })], { environmentSlug: 'dev', secretPath: '/' }))
    assert.ok(!isAllowed([allow({ environment: 'dev' })], { environmentSlug: 'prod', secretPath: '/' }))
  })

  test('is asked of the pattern as if it were a path', () => {
    const asks = (rule: object, secretPath: string) =>
      isAllowed([allow({ secretPath: rule })], { environmentSlug: 'dev', secretPath })
    assert.ok(asks({ $glob: '/app/*' }, '/app/**'))
    assert.ok(!asks({ $eq: '/app' }, '/app/**'))
    assert.ok(!asks({ $glob: '/app/**' }, '/**'))
  })

  test('to hear of an event is that of its own kind and place', () => {
    const held = ability(allow({ environment: 'dev', secretPath: { $glob: '/app/**' } }))
    const hears = EVENT_NAMES.map((name) => mayHearOf(held, { name, environment: 'dev', path: '/app/x' }))
    assert.deepEqual(hears, [true, false, false, false])
    assert.ok(!mayHearOf(held, { name: 'secret:create', environment: 'dev', path: '/' }))
    assert.ok(!mayHearOf(held, { name: 'secret:create', environment: 'prod', path: '/app' }))
  })
})
