import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { HOLE } from '../../lib/glob.ts'
import { type Actor, templateValuesOf } from './actor.ts'
import {
  renderPattern,
  renderText,
  requireUsableTemplates,
  type TemplateValues,
  withoutTemplates,
} from './templates.ts'

const VALUES: TemplateValues = {
  id: 'i-1',
  username: 'ci',
  metadata: { team: 'blue', empty: '', 'a b': 'spaced', html: `&<>"'\`=`, recursive: '{{identity.id}}' },
  auth: {
    oidc: { claims: { repo: 'org/app', depth: { deeper: 'x' }, number: 5 } },
    kubernetes: { namespace: 'prod-shop' },
  },
}

describe('rendering', () => {
  for (const [text, expected] of [
    ['plain', 'plain'],
    ['', ''],
    ['{{identity.id}}', 'i-1'],
    ['{{ identity.username }}', 'ci'],
    ['/teams/{{identity.metadata.team}}/x', '/teams/blue/x'],
    ['{{identity.metadata.team}}-{{identity.id}}', 'blue-i-1'],
    ['{{identity.metadata.empty}}', ''],
    ['{{identity.metadata.[a b]}}', 'spaced'],
    ['{{identity.metadata.html}}', `&<>"'\`=`],
    ['{{identity.metadata.recursive}}', '{{identity.id}}'],
    ['{{identity.auth.oidc.claims.repo}}', 'org/app'],
    ["{{ stripPrefix identity.auth.kubernetes.namespace 'prod-' }}", 'shop'],
    ['{{stripPrefix identity.auth.kubernetes.namespace "dev-"}}', 'prod-shop'],
    ['{a,{b,c}}', '{a,{b,c}}'],
    ['{x,{{identity.id}}}', '{x,i-1}'],
  ] as const) {
    test(`'${text}' becomes '${expected}'`, () => {
      assert.deepEqual(renderText(text, VALUES), { text: expected, isComplete: true })
    })
  }

  for (const text of [
    '{{identity.metadata.unknown}}',
    '{{identity.unknown}}',
    '{{identity.metadata}}',
    '{{identity.auth.oidc.claims.depth}}',
    '{{identity.auth.oidc.claims.number}}',
    '{{identity.id.length}}',
    '{{identity.metadata.constructor}}',
    '{{identity.metadata.__proto__}}',
    '{{identity.metadata.team.x}}',
    '{{stripPrefix identity.metadata.unknown "x"}}',
    '{{secret.value}}',
    '{{#if identity.id}}',
    'a {{ b',
  ]) {
    test(`'${text}' has no value and stays as it is`, () => {
      assert.deepEqual(renderText(text, VALUES), { text, isComplete: false })
    })
  }

  test('in a pattern the values are kept apart', () => {
    assert.deepEqual(renderPattern('/{{identity.id}}/*/{{identity.metadata.team}}', VALUES), {
      pattern: `/${HOLE}/*/${HOLE}`,
      fillings: ['i-1', 'blue'],
      isComplete: true,
    })
  })
})

describe('templates in a request', () => {
  const rule = (text: string) => ({
    subject: 'secrets',
    action: ['read'],
    conditions: { environment: { $in: ['dev', text] } },
  })

  for (const text of [
    'dev',
    '{{identity.id}}',
    '{{ identity.metadata.my-key }}',
    '{{identity.metadata.[https://x/y]}}',
    "{{ stripPrefix identity.auth.kubernetes.namespace 'prod-' }}",
    '{a,{b,c}}',
    '}}',
  ]) {
    test(`'${text}' is accepted`, () => assert.doesNotThrow(() => requireUsableTemplates([rule(text)], 'Test')))
  }

  for (const text of [
    '{{{identity.id}}}',
    '{{& identity.id}}',
    '{{#if identity.id}}x{{/if}}',
    '{{! identity.id }}',
    '{{> identity.id }}',
    '{{project.id}}',
    '{{}}',
    '{{identity}}',
    '{{identity.}}',
    '{{identity.id',
    '\\{{identity.id}}',
    '{{upper identity.id}}',
    '{{stripPrefix identity.id}}',
    "{{stripPrefix identity.id 'a' 'b'}}",
    '{{identity.id identity.username}}',
    '{{a,b},c}',
  ]) {
    test(`'${text}' is refused`, () => {
      assert.throws(() => requireUsableTemplates([rule('dev'), rule(text)], 'Test'), { kind: 'bad-request' })
    })
  }

  test('rules without conditions have nothing to refuse', () => {
    requireUsableTemplates([{ subject: 'role', action: ['read'] }], 'Test')
    requireUsableTemplates([{ subject: 'ssh-hosts', action: ['x'], conditions: { a: null, b: 5, c: true } }], 'Test')
  })

  test('what is left without the templates can be judged by itself', () => {
    assert.equal(withoutTemplates('/{{identity.id}}/**'), '/x/**')
  })
})

describe('the values of an actor', () => {
  const origin = { ip: '127.0.0.1', userAgent: 'test', requestId: 'req-1' }

  test('a machine identity brings its name, metadata and claims', () => {
    const identity: Actor = {
      type: 'identity',
      id: 'i-1',
      name: 'ci',
      organizationId: 'o-1',
      authMethod: 'oidc-auth',
      tokenId: 't-1',
      isInstanceAdmin: false,
      claims: { oidc: { claims: { repo: 'a' } } },
      metadata: { team: 'blue' },
      origin,
    }
    assert.deepEqual(templateValuesOf(identity), {
      id: 'i-1',
      username: 'ci',
      metadata: { team: 'blue' },
      auth: { oidc: { claims: { repo: 'a' } } },
    })
    assert.deepEqual(templateValuesOf({ ...identity, metadata: undefined }).metadata, {})
  })

  test('a user brings id and username', () => {
    const user: Actor = {
      type: 'user',
      id: 'u-1',
      sessionId: 's-1',
      email: 'a@example.com',
      username: 'a@example.com',
      authMethod: 'email',
      isInstanceAdmin: false,
      origin,
    }
    assert.deepEqual(templateValuesOf(user), { id: 'u-1', username: 'a@example.com', metadata: {}, auth: {} })
  })
})
