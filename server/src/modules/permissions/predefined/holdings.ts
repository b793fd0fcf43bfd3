import type { Catalogue } from '../catalogue/subject.ts'
import type { Rule } from '../rule.ts'

/** The actions a role holds on each subject, without conditions. */
export type Holdings<C extends Catalogue> = {
  readonly [Subject in keyof C]?: readonly C[Subject]['actions'][number][]
}

export const everything = <C extends Catalogue>(catalogue: C): Holdings<C> =>
  Object.fromEntries(Object.entries(catalogue).map(([subject, { actions }]) => [subject, actions])) as Holdings<C>

export const rulesOf = <C extends Catalogue>(holdings: Holdings<C>): readonly Rule[] =>
  Object.entries<readonly string[] | undefined>(holdings).map(([subject, action = []]) => ({ subject, action }))
