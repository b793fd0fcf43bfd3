import { AppError } from '../../lib/app-error.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/db.ts'
import type { ProjectAbility } from '../permissions/ability.ts'
import type { Actor } from '../permissions/actor.ts'
import type { PermissionService } from '../permissions/permissions.service.ts'
import { isActive } from '../permissions/rule.ts'
import type { GrantQuery } from './grants.schemas.ts'
import * as store from './grants.store.ts'

type Deps = { db: Database; permissions: PermissionService; clock: Clock }

const DAY_MS = 24 * 60 * 60 * 1_000
const USUAL_WINDOW_MS = 7 * DAY_MS
const WINDOW_MS_MAX = 366 * DAY_MS

const SUBJECTS = { user: 'member', identity: 'identity', group: 'groups' } as const
const HOLDER_TYPES = Object.keys(SUBJECTS) as store.HolderType[]

/** What in a project is held for a time only, and whose time comes or runs out. */
export class TemporaryGrantService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** A page has fewer grants than asked for when the actor may not see some of their holders. */
  async list(actor: Actor, projectId: string, { from, to, limit, cursor }: GrantQuery) {
    const { db, permissions, clock } = this.#deps
    const ability = await permissions.inProject(actor, projectId)
    const holderTypes: store.HolderType[] = []
    for (const type of HOLDER_TYPES) if (await ability.can('read', SUBJECTS[type])) holderTypes.push(type)
    if (holderTypes.length === 0) await ability.require('read', SUBJECTS.identity)

    const now = clock.now()
    const window = windowOf(from ?? new Date(now), to)
    const found = await store.list(db.pool, { projectId, ...window, holderTypes, after: cursor, limit: limit + 1 })
    const page = found.slice(0, limit)
    const last = found.length > limit ? page.at(-1) : undefined
    return {
      grants: page.filter((grant) => maySee(ability.present, grant)).map((grant) => toView(grant, now)),
      nextCursor: last ? `${last.endsAt.toISOString()}_${last.id}` : null,
    }
  }
}

const windowOf = (from: Date, to = new Date(from.getTime() + USUAL_WINDOW_MS)) => {
  const lengthMs = to.getTime() - from.getTime()
  if (lengthMs > 0 && lengthMs <= WINDOW_MS_MAX) return { from, to }
  throw new AppError('invalid-input', "'to' must be after 'from', by at most 366 days")
}

const maySee = (ability: ProjectAbility, { holderType, holderId, holderName, holderEmail }: store.TemporaryGrant) => {
  switch (holderType) {
    case 'user':
      return ability.can('read', SUBJECTS.user, { userEmail: holderEmail ?? undefined })
    case 'identity':
      return ability.can('read', SUBJECTS.identity, { identityId: holderId })
    case 'group':
      return ability.can('read', SUBJECTS.group, { groupName: holderName })
  }
}

const toView = (grant: store.TemporaryGrant, now: number) => {
  const { id, kind, slug, holderType, holderId, holderName, startsAt, endsAt } = grant
  return {
    ...{ id, kind, slug, startsAt, endsAt },
    holder: { type: holderType, id: holderId, name: holderName },
    isActive: isActive({ startsAt: startsAt.getTime(), endsAt: endsAt.getTime() }, now),
  }
}
