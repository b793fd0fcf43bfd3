import { createHash } from 'node:crypto'
import { forbidden, notFound } from '../../lib/app-error.ts'
import { isUuid } from '../../lib/uuid.ts'
import { TrustedCache } from '../../platform/changes/cache.ts'
import type { ChangeFeed } from '../../platform/changes/feed.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/db.ts'
import { Ability } from './ability.ts'
import { type Actor, templateValuesOf } from './actor.ts'
import type { OrganizationSubjects } from './catalogue/organization.ts'
import type { ProjectSubjects } from './catalogue/project.ts'
import type { Catalogue } from './catalogue/subject.ts'
import { LiveAbility } from './live-ability.ts'
import * as store from './permissions.store.ts'
import { organizationRoleRules, projectRoleRules } from './predefined-roles.ts'
import type { Grant, Rule } from './rule.ts'

type Deps = { db: Database; changes: ChangeFeed; clock: Clock }

/** An ability is a few kilobytes. */
const CACHED_MAX = 20_000

type Question<C extends Catalogue> = {
  cache: TrustedCache<Ability<C>>
  key: string
  tags: string[]
  load: () => Promise<Ability<C> | undefined>
  /** What is wrong when there is none. */
  refusal: () => Error
}

/** Who may do what, where: the rules of an actor's roles and privileges, made into an ability. */
export class PermissionService {
  readonly #deps: Deps
  readonly #inOrganizations: TrustedCache<Ability<OrganizationSubjects>>
  readonly #inProjects: TrustedCache<Ability<ProjectSubjects>>

  constructor(deps: Deps) {
    this.#deps = deps
    this.#inOrganizations = new TrustedCache(deps.changes, CACHED_MAX)
    this.#inProjects = new TrustedCache(deps.changes, CACHED_MAX)
  }

  /** Throws unless the actor belongs to the organization and its token is for it. */
  async inOrganization(
    actor: Actor,
    organizationId = actor.organizationId,
  ): Promise<LiveAbility<OrganizationSubjects>> {
    if (organizationId === undefined || organizationId !== actor.organizationId) {
      throw forbidden('The token is scoped to another organization')
    }
    return answer({
      cache: this.#inOrganizations,
      key: `${organizationId} ${actor.type} ${actor.id} ${claimsKey(actor)}`,
      tags: [`actor:${actor.id}`, `organization:${organizationId}`],
      load: () => this.#loadInOrganization(actor, organizationId),
      refusal: () => forbidden(`You are not a member of the organization with id '${organizationId}'`),
    })
  }

  /** Throws unless the project is in the actor's organization and the actor is a member, itself or through a group. */
  async inProject(actor: Actor, givenId: string): Promise<LiveAbility<ProjectSubjects>> {
    // PostgreSQL takes either case; the change that ends this ability names it in one.
    const projectId = givenId.toLowerCase()
    let isKnown = false
    return answer({
      cache: this.#inProjects,
      key: `${actor.organizationId ?? ''} ${projectId} ${actor.type} ${actor.id} ${claimsKey(actor)}`,
      tags: [`actor:${actor.id}`, `project:${projectId}`, `organization:${actor.organizationId ?? ''}`],
      load: async () => {
        const holdings = isUuid(projectId)
          ? await store.findProjectHoldings(this.#deps.db.pool, projectId, actor)
          : undefined
        // Another organization's project looks like one that does not exist.
        isKnown = holdings !== undefined && holdings.organizationId === actor.organizationId
        return isKnown && holdings && holdings.roles.length > 0 ? this.#projectAbility(actor, holdings) : undefined
      },
      refusal: () => (isKnown ? notAMember(actor, projectId) : notFound(`Project with id '${givenId}' not found`)),
    })
  }

  async #loadInOrganization(actor: Actor, organizationId: string): Promise<Ability<OrganizationSubjects> | undefined> {
    const roles = await store.findOrganizationRoles(this.#deps.db.pool, organizationId, actor)
    if (!roles) return undefined
    const values = templateValuesOf(actor)
    return new Ability<OrganizationSubjects>(roles.map(grantBy(organizationRoleRules)), {
      clock: this.#deps.clock,
      values,
    })
  }

  #projectAbility(actor: Actor, { roles, privileges, metadata }: store.ProjectHoldings): Ability<ProjectSubjects> {
    const values = { ...templateValuesOf(actor), metadata }
    return new Ability<ProjectSubjects>([...roles, ...privileges].map(grantBy(projectRoleRules)), {
      clock: this.#deps.clock,
      values,
    })
  }
}

const answer = async <C extends Catalogue>({
  cache,
  key,
  tags,
  load,
  refusal,
}: Question<C>): Promise<LiveAbility<C>> => {
  const require = (ability: Ability<C> | undefined): Ability<C> => {
    if (!ability) throw refusal()
    return ability
  }
  const kept = cache.peek(key)
  if (kept) return new LiveAbility(kept, async () => require(await cache.reload(key, tags, load)))
  return new LiveAbility(require(await cache.get(key, tags, load)), undefined)
}

const grantBy =
  (predefined: (slug: string) => readonly Rule[]) =>
  ({ role, rules, startsAt, endsAt }: store.HeldRole): Grant => ({
    rules: rules ?? predefined(role),
    // Half a period is none.
    validity:
      startsAt === null && endsAt === null
        ? undefined
        : { startsAt: startsAt ?? Infinity, endsAt: endsAt ?? -Infinity },
  })

/** Rules may speak of what the login method learned, so two tokens of one identity can differ in what they allow. */
const claimsKey = (actor: Actor): string =>
  actor.type === 'identity' && Object.keys(actor.claims).length > 0
    ? createHash('sha256').update(JSON.stringify(actor.claims)).digest('base64url')
    : ''

const notAMember = ({ type }: Actor, projectId: string) =>
  forbidden(`This ${type} is not a member of the project with id '${projectId}': add it to the project first`, {
    code: 'ProjectMembershipNotFound',
  })
