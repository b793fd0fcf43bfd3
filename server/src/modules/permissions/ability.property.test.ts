import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import picomatch from 'picomatch'
import { Ability } from './ability.ts'
import type { ProjectSubjects } from './catalogue/project.ts'
import type { Grant, Rule } from './rule.ts'

type Fields = Record<string, string | string[] | undefined>
type Question = { action: string; subject: string; fields: Fields | undefined }

const TEAM = 'b'
const VALUES = { id: 'i-1', username: 'ci', metadata: { team: TEAM }, auth: {} }

/*
 * The model: the rules of the wire told as plainly as possible and without regard to speed. One list of rules in which
 * denies come last, and of which the last one that matches decides.
 */

const LEGACY: Record<string, Record<string, string>> = {
  secrets: { readValue: 'read', describeSecret: 'read' },
  member: { 'assign-role': 'grant-privileges', 'assign-additional-privileges': 'grant-privileges' },
}

const modelCan = (grants: readonly Grant[], question: Question, now: number): boolean => {
  const legacy = LEGACY[question.subject]?.[question.action]
  const answers = [question.action, ...(legacy === undefined ? [] : [legacy])].map((action) =>
    modelDecides(grants, { ...question, action }, now),
  )
  return answers.includes(true)
}

const modelDecides = (grants: readonly Grant[], { action, subject, fields }: Question, now: number): boolean => {
  const rules: Rule[] = []
  for (const { rules: granted, validity } of grants) {
    if (validity && now < validity.startsAt) continue
    if (validity && now >= validity.endsAt) continue
    for (const rule of granted) {
      const forbidden = rule.inverted ? rule.action.map((name) => LEGACY[rule.subject]?.[name] ?? name) : []
      rules.push({ ...rule, action: [...rule.action, ...forbidden] })
    }
  }
  let verdict = false
  for (const isDeny of [false, true]) {
    for (const rule of rules) {
      if ((rule.inverted ?? false) !== isDeny) continue
      if (rule.subject !== subject || !rule.action.includes(action)) continue
      const conditions = Object.entries(rule.conditions ?? {})
      const isMatch = fields
        ? conditions.every(([field, condition]) => modelHolds(condition, fields[field]))
        : conditions.length === 0 || !isDeny
      if (isMatch) verdict = !isDeny
    }
  }
  return verdict
}

const modelHolds = (condition: unknown, value: string | string[] | undefined): boolean => {
  if (typeof condition === 'string') return modelHolds({ $eq: condition }, value)
  const elements = value === undefined ? [] : Array.isArray(value) ? value : [value]
  return Object.entries(condition as Record<string, string | string[]>).every(([operator, operand]) => {
    const [first = '', ...others] = [operand].flat().map((text) => text.replace('{{identity.metadata.team}}', TEAM))
    const texts = Array.isArray(operand) && operand.length === 0 ? [] : [first, ...others]
    if (operator === '$eq') return elements.includes(first)
    if (operator === '$ne') return !elements.includes(first)
    if (operator === '$in') return texts.some((text) => elements.includes(text))
    if (operator === '$all') return texts.every((text) => elements.includes(text))
    return typeof value === 'string' && picomatch.isMatch(value, first, { strictSlashes: false })
  })
}

/* What is asked, and of whom. Small alphabets, so that things meet. */

const text = fc.constantFrom('a', 'b', 'ab', '/a', '/a/b')
const templated = fc.oneof(text, text, fc.constant('{{identity.metadata.team}}'))
const pattern = fc.constantFrom(
  '*',
  '**',
  'a*',
  '/**',
  '/a/**',
  '/*',
  '{a,b}',
  '!a',
  '?',
  '/{{identity.metadata.team}}',
)
const texts = fc.array(text, { maxLength: 3 })
const list = fc.array(templated, { maxLength: 3 })
const operators = fc.oneof(
  fc.record({ $eq: templated }),
  fc.record({ $ne: templated }),
  fc.record({ $in: list }),
  fc.record({ $all: list }),
  fc.record({ $glob: pattern }),
  fc.record({ $ne: templated, $glob: pattern }),
  fc.record({ $eq: templated, $in: list }),
)
const FIELDS = ['environment', 'secretPath', 'secretName', 'secretTags']
const conditions = fc.dictionary(fc.constantFrom('environment', ...FIELDS), fc.oneof(templated, operators), {
  maxKeys: 2,
})

const ACTIONS: Record<string, readonly string[]> = {
  secrets: ['read', 'readValue', 'describeSecret', 'edit'],
  member: ['grant-privileges', 'assign-role', 'assign-additional-privileges', 'read'],
  role: ['read', 'edit'],
}
const subject = fc.constantFrom('secrets', 'secrets', 'secrets', 'member', 'role')
const actionsOf = (name: string) => fc.constantFrom(...(ACTIONS[name] ?? []))

const rule: fc.Arbitrary<Rule> = subject.chain((name) =>
  fc.record(
    {
      subject: fc.constant(name),
      action: fc.array(actionsOf(name), { minLength: 1, maxLength: 3 }),
      inverted: fc.constantFrom(false, false, true),
      conditions,
    },
    { requiredKeys: ['subject', 'action'] },
  ),
)
const moment = fc.integer({ min: 0, max: 6 })
const validity = fc.record({ startsAt: fc.constantFrom(0, 1, 2, 3), endsAt: moment })
const grants = fc.array(fc.record({ rules: fc.array(rule, { maxLength: 5 }), validity }, { requiredKeys: ['rules'] }), {
  maxLength: 4,
})
const fields: fc.Arbitrary<Fields> = fc.record(
  { environment: fc.oneof(text, text, texts), secretPath: text, secretName: text, secretTags: texts },
  { requiredKeys: [] },
)
const question = subject.chain((name) =>
  fc.record({ subject: fc.constant(name), action: actionsOf(name), fields: fc.option(fields, { nil: undefined }) }),
)

/** A question whose words are not known before it is asked. */
type AnyQuestion = Parameters<Ability<ProjectSubjects>['can']>
const asked = ({ action, subject: name, fields: some }: Question) => [action, name, some] as AnyQuestion

const abilityOf = (held: readonly Grant[], now: number) =>
  new Ability<ProjectSubjects>(held, { clock: { now: () => now }, values: VALUES })

describe('an ability', () => {
  test('answers every question as the model does', () => {
    const counts = { yes: 0, no: 0 }
    fc.assert(
      fc.property(grants, question, moment, (held, what, now) => {
        const expected = modelCan(held, what, now)
        counts[expected ? 'yes' : 'no']++
        assert.equal(abilityOf(held, now).can(...asked(what)), expected)
      }),
      { numRuns: 8000 },
    )
    assert.ok(counts.yes > 300 && counts.no > 300, JSON.stringify(counts))
  })

  test('gives the same answer whatever the order of its rules', () => {
    fc.assert(
      fc.property(grants, question, moment, (held, what, now) => {
        const reversed = held.map((grant) => ({ ...grant, rules: [...grant.rules].reverse() })).reverse()
        assert.equal(abilityOf(reversed, now).can(...asked(what)), abilityOf(held, now).can(...asked(what)))
      }),
      { numRuns: 1000 },
    )
  })

  test('never allows more for one more deny', () => {
    fc.assert(
      fc.property(grants, rule, question, moment, (held, extra, what, now) => {
        const denied = [...held, { rules: [{ ...extra, inverted: true }] }]
        if (abilityOf(denied, now).can(...asked(what))) assert.ok(abilityOf(held, now).can(...asked(what)))
      }),
      { numRuns: 1000 },
    )
  })

  test('settles some fields first without changing the answer', () => {
    const known = fc.subarray(FIELDS)
    fc.assert(
      fc.property(grants, question, known, moment, (held, what, names, now) => {
        const all = Object.entries(what.fields ?? {})
        const settled = Object.fromEntries(all.filter(([name]) => names.includes(name)))
        const rest = Object.fromEntries(all.filter(([name]) => !names.includes(name)))
        const ability = abilityOf(held, now)
        const [action, name] = asked(what)
        const expected = ability.can(action, name, what.fields ?? {})
        assert.equal(ability.within(action, name, settled)(rest), expected)
        if (expected) assert.ok(ability.canSome(action, name, settled))
      }),
      { numRuns: 2000 },
    )
  })

  test('changes its answer at no moment but those it tells', () => {
    fc.assert(
      fc.property(grants, question, moment, (held, what, now) => {
        const next = abilityOf(held, now).nextChangeAt() ?? 7
        assert.ok(next > now)
        for (let later = now; later < next; later++) {
          assert.equal(abilityOf(held, later).can(...asked(what)), abilityOf(held, now).can(...asked(what)))
        }
      }),
      { numRuns: 1000 },
    )
  })
})
