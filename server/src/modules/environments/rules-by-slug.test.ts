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
    [false, true, { $eq: '{{identity.metadata.environment}}' }],
  ] as const) {
    const where = environment === undefined ? 'everywhere' : JSON.stringify(environment)
    const rule = `${inverted ? 'deny' : 'allow'} ${where}`
    test(`${isUndone ? 'yes' : 'no'}: ${rule}`, () => {
      const conditions = { secretPath: '/', ...(environment !== undefined && { environment }) }
      assert.equal(isUndoneBy({ ...READ, inverted, conditions }, RENAMING), isUndone)
    })
  }
})
