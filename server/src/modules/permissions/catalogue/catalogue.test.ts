import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BY_CERTIFICATE, BY_DYNAMIC_SECRET, BY_FOLDER, BY_PLACE, BY_SECRET, BY_SUBSCRIBER } from './condition-sets.ts'
import { umbrellaOf } from './legacy-actions.ts'
import { ORGANIZATION_SUBJECTS } from './organization.ts'
import { INERT_SUBJECTS, PROJECT_SUBJECTS, REQUESTABLE_SUBJECTS } from './project.ts'
import { ALL_PRODUCTS, type Subject } from './subject.ts'

describe('the catalogue of a project', () => {
  test('has 51 live subjects and 16 inert ones, that are different', () => {
    const live = Object.keys(REQUESTABLE_SUBJECTS)
    assert.equal(live.length, 51)
    assert.equal(INERT_SUBJECTS.length, 16)
    assert.equal(new Set([...live, ...INERT_SUBJECTS]).size, 67)
  })

  test('has one subject more that only predefined roles hold', () => {
    const names = Object.keys(PROJECT_SUBJECTS).filter((name) => !Object.hasOwn(REQUESTABLE_SUBJECTS, name))
    assert.deepEqual(names, ['certificate-application'])
  })

  for (const [name, { actions, products }] of Object.entries<Subject>({
    ...ORGANIZATION_SUBJECTS,
    ...PROJECT_SUBJECTS,
  })) {
    test(`${name} has actions, each once, and products`, () => {
      assert.ok(actions.length > 0)
      assert.equal(new Set(actions).size, actions.length)
      assert.ok(products.length > 0 && products.every((product) => ALL_PRODUCTS.includes(product)))
    })
  }

  test('names the subjects whose rules take conditions and can be inverted', () => {
    const conditional = Object.entries<Subject>(REQUESTABLE_SUBJECTS).filter(([, { conditions }]) => conditions)
    assert.deepEqual(conditional.map(([name]) => name).sort(), [
      'app-connections',
      'certificate-authorities',
      'certificate-policies',
      'certificate-profiles',
      'certificate-templates',
      'certificates',
      'commits',
      'dynamic-secrets',
      'groups',
      'honey-tokens',
      'identity',
      'member',
      'pki-subscribers',
      'pki-syncs',
      'project-folder-grant',
      'proxied-services',
      'secret-event-subscriptions',
      'secret-folders',
      'secret-imports',
      'secret-rotation',
      'secret-syncs',
      'secrets',
    ])
  })

  test('knows the peculiarities of some conditions', () => {
    assert.deepEqual(BY_FOLDER.environment.operators, ['$eq', '$ne', '$in'])
    assert.deepEqual(BY_PLACE.environment.operators, ['$eq', '$ne', '$in', '$glob'])
    assert.deepEqual(BY_SECRET.secretTags, {
      kind: 'text',
      operators: ['$in', '$all'],
      acceptsPlainText: false,
      isPath: false,
    })
    assert.deepEqual(BY_SUBSCRIBER.name.operators, ['$eq', '$in', '$glob'])
    assert.deepEqual(BY_DYNAMIC_SECRET.metadata.operators, ['$eq', '$ne', '$in'])
    assert.deepEqual(BY_CERTIFICATE.metadata.operators, ['$eq', '$in'])
    assert.ok(BY_PLACE.secretPath.isPath)
  })
})

describe('the catalogue of an organization', () => {
  test('has 33 subjects, of which one takes conditions', () => {
    assert.equal(Object.keys(ORGANIZATION_SUBJECTS).length, 33)
    const conditional = Object.entries<Subject>(ORGANIZATION_SUBJECTS).filter(([, { conditions }]) => conditions)
    assert.deepEqual(
      conditional.map(([name]) => name),
      ['app-connections'],
    )
  })
})

describe('older actions', () => {
  for (const [subject, action, umbrella] of [
    ['secrets', 'readValue', 'read'],
    ['secrets', 'describeSecret', 'read'],
    ['secrets', 'read', undefined],
    ['secrets', 'edit', undefined],
    ['identity', 'assign-role', 'grant-privileges'],
    ['identity', 'assign-additional-privileges', 'grant-privileges'],
    ['member', 'assign-role', 'grant-privileges'],
    ['member', 'assign-additional-privileges', 'grant-privileges'],
    ['groups', 'assign-role', 'grant-privileges'],
    ['identity', 'assume-privileges', undefined],
    ['secret-imports', 'readValue', undefined],
    ['secrets', 'constructor', undefined],
  ] as const) {
    test(`${action} on ${subject} belongs to ${umbrella ?? 'none'}`, () => {
      assert.equal(umbrellaOf(subject, action), umbrella)
    })
  }
})
