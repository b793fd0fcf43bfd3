import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../lib/app-error.ts'
import { Ability, type ProjectAbility } from './ability.ts'
import type { ProjectSubjects } from './catalogue/project.ts'
import { LiveAbility } from './live-ability.ts'

const abilityTo = (...action: string[]): ProjectAbility =>
  new Ability<ProjectSubjects>([{ rules: [{ subject: 'tags', action }] }], {
    clock: Date,
    values: { id: '', username: '', metadata: {}, auth: {} },
  })

/** One that was kept, and what the database says now. */
const keptAs = (kept: ProjectAbility, now: ProjectAbility) => {
  const asked = { times: 0 }
  const live = new LiveAbility<ProjectSubjects>(kept, () => {
    asked.times += 1
    return Promise.resolve(now)
  })
  return { live, asked }
}

const isRefusal = (kind: string) => (error: unknown) => error instanceof AppError && error.kind === kind

describe('an ability from a cache', () => {
  test('is believed in what it allows', async () => {
    const { live, asked } = keptAs(abilityTo('read'), abilityTo())
    assert.equal(await live.can('read', 'tags'), true)
    await live.require('read', 'tags')
    await live.requireBoundary('read', 'tags')
    await live.satisfy((ability) => ability.require('read', 'tags'))
    assert.equal(asked.times, 0)
  })

  test('is asked again of the database, once, in what it refuses', async () => {
    const { live, asked } = keptAs(abilityTo(), abilityTo('read'))
    assert.equal(await live.can('read', 'tags'), true)
    assert.equal(live.present.can('read', 'tags'), true)
    assert.equal(await live.can('edit', 'tags'), false)
    assert.equal(asked.times, 1)
  })

  test('lets a rule of several questions begin again with what the database says', async () => {
    const { live, asked } = keptAs(abilityTo('read'), abilityTo('read', 'edit'))
    await live.satisfy((ability) => {
      ability.require('read', 'tags')
      ability.require('edit', 'tags')
    })
    assert.equal(asked.times, 1)
  })
})

describe('an ability from the database', () => {
  const live = () => new LiveAbility<ProjectSubjects>(abilityTo('read'), undefined)

  test('is believed in what it refuses', async () => {
    assert.equal(await live().can('edit', 'tags'), false)
    await assert.rejects(live().require('edit', 'tags'), isRefusal('permission-denied'))
    await assert.rejects(
      live().satisfy((ability) => ability.require('edit', 'tags')),
      isRefusal('permission-denied'),
    )
  })

  test('says what is missing to hand out power', async () => {
    await assert.rejects(live().requireBoundary('edit', 'tags'), (error: unknown) => {
      assert.ok(error instanceof AppError && error.kind === 'boundary')
      assert.deepEqual(error.details, { missingPermissions: [{ action: 'edit', subject: 'tags' }] })
      return true
    })
  })
})
