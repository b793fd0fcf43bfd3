import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isUndoneBy } from './rules-by-slug.ts'

const READ = { subject: 'secrets', action: ['readValue'] }
const RENAMING = { from: 'prod', to: 'live' }

describe('a rule that keeps its holders out of prod is undone when that is called live', () => {
  for (const [isUndone, inverted, environment] of [
    [true, true, 'prod'],
    [true, true, { $eq: 'prod' }],
    [true, true, { $in: ['prod', 'staging'] }],
    [true, true, { $glob: 'pro*' }],
    [true, true, { $ne: 'live' }],
    [false, true, { $in: ['prod', 'live'] }],
    [false, true, { $glob: '*' }],
    [false, true, { $eq: 'staging' }],
    [false, true, { $ne: 'dev' }],
    [false, true, undefined],
    [true, false, { $ne: 'prod' }],
    [false, false, { $eq: 'prod' }],
    [false, false, { $ne: 'dev' }],
    [true, false, { $glob: '!prod' }],
    [true, false, { $glob: '!(prod)' }],
    [true, false, { $glob: '{[^p]*,dev}' }],
    [true, false, { $glob: '[^p]*' }],
    [true, false, { $ne: 'prod', $glob: '*' }],
    [false, false, { $glob: '!dev' }],
    [false, false, { $eq: 'live' }],
    [false, false, 'live'],
    [false, false, { $in: ['live', 'dev'] }],
    [false, false, { $glob: 'li*' }],
    [false, false, { $eq: 'live', $ne: 'prod' }],
    [true, true, { $eq: '{{identity.metadata.environment}}' }],
    [true, true, { $in: ['prod', '{{identity.metadata.environment}}'] }],
    [true, false, { $ne: '{{identity.metadata.environment}}' }],
    [true, false, { $glob: '!{{identity.metadata.environment}}' }],
    [false, false, { $eq: '{{identity.metadata.environment}}' }],
    [false, false, { $glob: '{{identity.metadata.environment}}-*' }],
    [false, false, {}],
  ] as const) {
    const where = environment === undefined ? 'everywhere' : JSON.stringify(environment)
    const rule = `${inverted ? 'deny' : 'allow'} ${where}`
    test(`${isUndone ? 'yes' : 'no'}: ${rule}`, () => {
      const conditions = { secretPath: '/', ...(environment !== undefined && { environment }) }
      assert.equal(isUndoneBy({ ...READ, inverted, conditions }, RENAMING), isUndone)
    })
  }
})
