import type { ProjectSubjects } from '../../../server/dist/src/modules/permissions/catalogue/project.js'
import { loadAbility } from '../built-server.ts'
import { median } from '../statistics.ts'
import type { FigureCase } from './case.ts'

const RULES = 50
const CHECKS = 10_000
const MILLISECONDS_MAX = 20

/** The engine by itself, in the case that costs most: every rule is looked at, and none allows. */
export const abilityChecks: FigureCase = {
  name: 'ability-checks',
  measure: async ({ repeats }) => {
    const Ability = await loadAbility()
    const rules = Array.from({ length: RULES }, (_, number) => ({
      subject: 'secrets',
      action: ['readValue'],
      conditions: { environment: { $in: ['dev', 'prod'] }, secretPath: { $glob: `/teams/${number}/**` } },
    }))
    const ability = new Ability<ProjectSubjects>([{ rules }], {
      clock: Date,
      values: { id: '', username: '', metadata: {}, auth: {} },
    })
    const check = () =>
      ability.can('readValue', 'secrets', { environment: 'prod', secretPath: '/teams/none/db', secretName: 'PASSWORD' })
    const milliseconds = () => {
      const startedAt = performance.now()
      for (let turn = 0; turn < CHECKS; turn++) if (check()) throw new Error('a check should have missed')
      return performance.now() - startedAt
    }
    milliseconds()
    const value = median(Array.from({ length: repeats }, milliseconds))
    const title = `${CHECKS} permission checks against ${RULES} conditional rules, miss`
    return [{ title, value, unit: 'ms', goalMax: MILLISECONDS_MAX }]
  },
}
