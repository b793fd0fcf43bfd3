import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../lib/app-error.ts'
import { changedValidity, newValidity } from './validity.ts'

const start = new Date('2030-01-01T00:00:00Z')
const anHour = newValidity({ isTemporary: true, temporaryRange: '1h', temporaryAccessStartTime: start })
const forGood = newValidity({})
const endOf = ({ temporaryAccessEndTime }: typeof anHour) => temporaryAccessEndTime?.toISOString()

describe('how long a privilege lasts', () => {
  test('a period ends its range after its start', () => {
    assert.equal(endOf(anHour), '2030-01-01T01:00:00.000Z')
    assert.equal(endOf(changedValidity(anHour, { temporaryRange: '1.5h' })), '2030-01-01T01:30:00.000Z')
    const later = new Date('2030-01-01T12:00:00Z')
    assert.equal(endOf(changedValidity(anHour, { temporaryAccessStartTime: later })), '2030-01-01T13:00:00.000Z')
  })

  test('what is not said stays', () => {
    assert.deepEqual(changedValidity(anHour, {}), anHour)
    assert.deepEqual(changedValidity(forGood, {}), forGood)
    assert.deepEqual(changedValidity(forGood, { temporaryRange: '1h', temporaryAccessStartTime: start }), forGood)
  })

  test('for good leaves nothing of a period', () => {
    assert.deepEqual(changedValidity(anHour, { isTemporary: false, temporaryRange: '2h' }), forGood)
    assert.equal(Object.values(forGood).filter((value) => value === null).length, 4)
  })

  test('a period needs both a start and a range', () => {
    for (const lacking of [{}, { temporaryRange: '1h' }, { temporaryAccessStartTime: start }]) {
      assert.throws(
        () => newValidity({ isTemporary: true, ...lacking }),
        (error) => error instanceof AppError && error.kind === 'bad-request',
      )
    }
  })

  test('no period ends when years have five digits', () => {
    const late = { isTemporary: true, temporaryAccessStartTime: new Date('9999-12-31T23:59:59.998Z') }
    assert.equal(endOf(newValidity({ ...late, temporaryRange: '1' })), '9999-12-31T23:59:59.999Z')
    for (const temporaryRange of ['2', 'x']) {
      assert.throws(
        () => newValidity({ ...late, temporaryRange }),
        (error) => error instanceof AppError && error.kind === 'invalid-input',
      )
    }
  })
})
