import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { violationsOf } from './policy-check.ts'
import { type AskedCertificate, type Listed, parsePeriodMs, type PolicyRules } from './policy-rules.ts'

const DAY_MS = 86_400_000

const asked = (wish: Partial<AskedCertificate> = {}): AskedCertificate => ({
  subject: { commonName: 'api.example.com' },
  altNames: [],
  keyUsages: [],
  extendedKeyUsages: [],
  isCa: false,
  ...wish,
})
const dns = (...values: string[]) => values.map((value) => ({ type: 'dns_name' as const, value }))

const count = (rules: PolicyRules, wish?: Partial<AskedCertificate>) => violationsOf(rules, asked(wish)).length

describe('a section', () => {
  test('that is absent or null says nothing', () => {
    assert.equal(count({}, { keyUsages: ['cRLSign'], altNames: dns('a.test') }), 0)
    assert.equal(count({ subject: null, sans: null, keyUsages: null, algorithms: null, validity: null }), 0)
  })

  test('of names that is empty admits none', () => {
    assert.equal(count({ subject: [] }), 1)
    assert.equal(count({ sans: [] }), 0)
    assert.equal(count({ sans: [] }, { altNames: dns('a.test', 'b.test') }), 2)
  })

  test('of names that does not list a type does not admit it', () => {
    assert.equal(count({ subject: [{ type: 'organization' }] }), 1)
    assert.equal(count({ sans: [{ type: 'email' }] }, { altNames: dns('a.test') }), 1)
  })

  test('of names that lists a type and nothing more admits any value of it', () => {
    assert.equal(count({ subject: [{ type: 'common_name' }], sans: [{ type: 'dns_name' }] }, { altNames: dns('x') }), 0)
  })
})

describe('the subject', () => {
  for (const [name, rule, violations] of [
    ['an allowed pattern', { allowed: ['*.example.com'] }, 0],
    ['an allowed pattern in another case', { allowed: ['API.Example.COM'] }, 0],
    ['no allowed pattern', { allowed: ['*.example.org', 'example.com'] }, 1],
    ['an empty list', { allowed: [] }, 1],
    ['a denied pattern', { denied: ['api.*'] }, 1],
    ['no denied pattern', { denied: ['www.*'] }, 0],
    ['an allowed and a denied pattern', { allowed: ['*'], denied: ['api.*'] }, 1],
    ['a required pattern', { required: ['*.example.com'] }, 0],
    ['not the required pattern', { required: ['*.example.org'] }, 2],
    ['a required pattern beside others that are allowed', { allowed: ['api.*'], required: ['*.example.com'] }, 0],
  ] as const) {
    test(`with ${name}: ${violations} violations`, () => {
      const lists: Listed<string> = structuredClone<object>(rule)
      const rules: PolicyRules = { subject: [{ type: 'common_name', ...lists }] }
      assert.equal(count(rules), violations)
    })
  }

  test('must have what is required', () => {
    const rules: PolicyRules = { subject: [{ type: 'common_name' }, { type: 'organization', required: ['Acme'] }] }
    assert.deepEqual(violationsOf(rules, asked()), [
      "subject attribute organization matching 'Acme' is required by the policy",
    ])
    assert.equal(count(rules, { subject: { commonName: 'x', organization: 'acme' } }), 0)
  })

  test('has its domain components compared as one', () => {
    const rules: PolicyRules = { subject: [{ type: 'domain_component', allowed: ['*,example,com'] }] }
    assert.equal(count(rules, { subject: { domainComponents: ['eu', 'example', 'com'] } }), 0)
    assert.equal(count(rules, { subject: { domainComponents: ['example', 'org'] } }), 1)
  })
})

describe('usages', () => {
  test('are those that are allowed or required, none that is denied, and all that are required', () => {
    const rules: PolicyRules = {
      keyUsages: { allowed: ['digital_signature'], required: ['key_encipherment'], denied: ['crl_sign'] },
    }
    assert.equal(count(rules, { keyUsages: ['digitalSignature', 'keyEncipherment'] }), 0)
    assert.equal(count(rules, { keyUsages: ['keyEncipherment'] }), 0)
    assert.equal(count(rules, { keyUsages: ['digitalSignature'] }), 1)
    assert.equal(count(rules, { keyUsages: ['keyEncipherment', 'dataEncipherment'] }), 1)
    assert.equal(count(rules, { keyUsages: ['keyEncipherment', 'cRLSign'] }), 2)
  })

  test('are free where only some are denied', () => {
    const rules: PolicyRules = { extendedKeyUsages: { denied: ['code_signing'] } }
    assert.equal(count(rules, { extendedKeyUsages: ['serverAuth', 'clientAuth'] }), 0)
    assert.equal(count(rules, { extendedKeyUsages: ['codeSigning'] }), 1)
  })
})

describe('algorithms', () => {
  test('are known in both spellings', () => {
    const rules: PolicyRules = { algorithms: { signature: ['SHA256-ECDSA'], keyAlgorithm: ['ECDSA-P256', 'RSA_2048'] } }
    assert.equal(count(rules, { signatureAlgorithm: 'ECDSA-SHA256', keyAlgorithm: 'EC_prime256v1' }), 0)
    assert.equal(count(rules, { signatureAlgorithm: 'RSA-SHA256', keyAlgorithm: 'RSA_4096' }), 2)
  })

  test('must be named where the policy lists some', () => {
    assert.equal(count({ algorithms: { signature: ['RSA-SHA256'], keyAlgorithm: ['RSA_2048'] } }), 2)
  })
})

describe('validity', () => {
  for (const [max, days, violations] of [
    ['90d', 90, 0],
    ['90d', 91, 1],
    ['12h', 1, 1],
    ['3m', 90, 0],
    ['3m', 91, 1],
    ['1y', 365, 0],
    ['1y', 366, 1],
  ] as const) {
    test(`${days} days against ${max}: ${violations} violations`, () => {
      assert.equal(count({ validity: { max } }, { validityMs: days * DAY_MS }), violations)
    })
  }

  test('is a number of hours, days, months or years', () => {
    for (const text of ['', 'd', '1', '1w', '90s', '0d', '-1d', '1.5d', '101y', '9999999999d']) {
      assert.equal(parsePeriodMs(text), undefined, text)
    }
    assert.equal(parsePeriodMs('2m'), 60 * DAY_MS)
  })
})

describe('certificates of authorities', () => {
  test('are denied unless the policy says otherwise', () => {
    assert.equal(count({}, { isCa: true }), 1)
    assert.equal(count({ basicConstraints: {} }, { isCa: true }), 1)
    assert.equal(count({ basicConstraints: { isCA: 'denied' } }, { isCa: true }), 1)
    assert.equal(count({ basicConstraints: { isCA: 'allowed' } }, { isCa: true }), 0)
    assert.equal(count({ basicConstraints: { isCA: 'required' } }, { isCa: false }), 1)
  })

  test('have at most the path length of the policy', () => {
    const rules: PolicyRules = { basicConstraints: { isCA: 'allowed', maxPathLength: 1 } }
    assert.equal(count(rules, { isCa: true, pathLength: 1 }), 0)
    assert.equal(count(rules, { isCa: true, pathLength: 2 }), 1)
    assert.equal(count(rules, { isCa: true }), 1)
    assert.equal(count({ basicConstraints: { isCA: 'allowed', maxPathLength: -1 } }, { isCa: true }), 0)
  })
})

test('defaults need not have what is required, only nothing that is refused', () => {
  const rules: PolicyRules = {
    subject: [{ type: 'common_name', required: ['*.example.com'] }],
    keyUsages: { required: ['digital_signature'] },
    algorithms: { signature: ['RSA-SHA256'] },
  }
  assert.deepEqual(violationsOf(rules, asked({ subject: {} }), { isPartial: true }), [])
  assert.equal(violationsOf(rules, asked({ subject: { commonName: 'x' } }), { isPartial: true }).length, 2)
  assert.equal(violationsOf(rules, asked({ keyUsages: ['cRLSign'], subject: {} }), { isPartial: true }).length, 1)
})

describe('a name that is denied', () => {
  const sans = (type: 'dns_name' | 'ip_address', ...denied: string[]) => ({ sans: [{ type, allowed: ['*'], denied }] })

  for (const [pattern, name, violations] of [
    ['admin.example.com', '*.example.com', 1],
    ['ADMIN.example.com', '*.Example.com', 1],
    ['admin*', '*.example.com', 1],
    ['*admin.example.com', '*.example.com', 1],
    ['a*n.example.com', '*.example.com', 1],
    ['*.secret.example.com', '*.example.com', 0],
    ['admin.example.org', '*.example.com', 0],
    ['example.com', '*.example.com', 0],
    ['admin.example.com', 'api.example.com', 0],
  ] as const) {
    test(`as ${pattern} ${violations ? 'is' : 'is not'} what ${name} stands for`, () => {
      assert.equal(count(sans('dns_name', pattern), { altNames: dns(name) }), violations)
      const subject = [{ type: 'common_name' as const, denied: [pattern] }]
      assert.equal(count({ subject }, { subject: { commonName: name } }), violations)
    })
  }

  test('is an address in whatever way the policy spells it', () => {
    const altNames = [{ type: 'ip_address' as const, value: '2001:db8::1' }]
    assert.equal(count(sans('ip_address', '2001:0DB8:0::1'), { altNames }), 1)
    assert.equal(count(sans('ip_address', '2001:db8:*'), { altNames }), 1)
    assert.equal(count(sans('ip_address', '2001:db8::2'), { altNames }), 0)
  })
})
