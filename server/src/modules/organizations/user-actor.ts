import { forbidden } from '../../lib/app-error.ts'
import type { Actor, UserActor } from '../permissions/actor.ts'

/** For what only people have: a route that declares so never brings anyone else here. */
export const requireUser = (actor: Actor): UserActor => {
  if (actor.type !== 'user') throw forbidden('Only a user may do this')
  return actor
}
