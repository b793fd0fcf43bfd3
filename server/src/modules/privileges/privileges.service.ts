import { badRequest, forbidden } from '../../lib/app-error.ts'
import { randomSlug } from '../../lib/slug.ts'
import { isUuid, newId } from '../../lib/uuid.ts'
import type { ChangeFeed } from '../../platform/changes/feed.ts'
import type { Database, Tx } from '../../platform/db/db.ts'
import { isForeignKeyViolation, isUniqueViolation } from '../../platform/db/failures.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { Actor } from '../permissions/actor.ts'
import { requireMayAssignPrivileges } from '../permissions/delegation.ts'
import type { PermissionService } from '../permissions/permissions.service.ts'
import { type Granted, requireGrantable } from './granted.ts'
import { type Address, noSuchPrivilege, type PrivilegeLookup } from './privilege-lookup.service.ts'
import * as store from './privileges.store.ts'
import { changedValidity, newValidity, type Validity, type ValidityChanges } from './validity.ts'

type Deps = {
  db: Database
  permissions: PermissionService
  audit: AuditLog
  changes: ChangeFeed
  lookup: PrivilegeLookup
}

type NewPrivilege = { identityId: string; slug?: string | undefined; granted: Granted; validity: ValidityChanges }
type PrivilegeChanges = {
  slug?: string | undefined
  granted?: Granted | undefined
  validity?: ValidityChanges | undefined
}
type Verb = 'create' | 'update' | 'delete'

const SLUG_ATTEMPTS_MAX = 5

/** Permissions that one machine identity holds in one project, beyond those of its roles. */
export class PrivilegeService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async create(actor: Actor, { projectId, ...privilege }: NewPrivilege & { projectId: string }) {
    const { identityId, granted } = privilege
    requireGrantable(granted)
    const holder = { projectId, identityId }
    const validity = newValidity(privilege.validity)
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    await ability.require('edit', 'identity', { identityId })
    await ability
      .satisfy((present) => requireMayAssignPrivileges(present, recipientOf(holder), granted.permissions))
      .catch(async (refusal: unknown) => {
        throw (await this.#isMember(holder)) ? refusal : notAMember(holder)
      })
    if (!isUuid(identityId)) throw notAMember(holder)

    return this.#deps.db
      .transaction(async (tx) => {
        const inserted = await insert(tx, { ...holder, ...granted, ...validity }, privilege.slug)
        await this.#record(tx, actor, 'create', inserted)
        return inserted
      })
      .catch(async (error: unknown) => {
        if (!isForeignKeyViolation(error)) throw error
        throw (await this.#isMember(holder)) ? notADirectMember(holder) : notAMember(holder)
      })
  }

  async createInProject(actor: Actor, projectSlug: string, privilege: NewPrivilege) {
    return this.create(actor, { ...privilege, projectId: await this.#deps.lookup.projectIdOf(actor, projectSlug) })
  }

  /** What is undefined stays as it is. */
  async update(actor: Actor, address: Address, { slug, granted, validity }: PrivilegeChanges) {
    if (granted) requireGrantable(granted)
    const { privilege, ability } = await this.#deps.lookup.reach(actor, address)
    await ability.require('edit', 'identity', { identityId: privilege.identityId })
    const recipient = recipientOf(privilege)
    // Also of rules that stay as they are: to prolong a privilege is to grant it.
    const rules = granted ?? privilege
    await ability.satisfy((present) => requireMayAssignPrivileges(present, recipient, rules.permissions))

    return this.#deps.db.transaction(async (tx) => {
      const before = await store.lock(tx, privilege.id)
      if (!before) throw noSuchPrivilege(address)
      if (slug === undefined && !granted && !validity) return before
      if (!granted) requireMayAssignPrivileges(ability.present, recipient, before.permissions)

      const changes = { slug, granted, validity: validity && changedValidity(before, validity) }
      const updated = await store.update(tx, before.id, changes).catch((error: unknown) => {
        throw isUniqueViolation(error) ? slugTaken(slug ?? before.slug) : error
      })
      await this.#record(tx, actor, 'update', updated)
      return updated
    })
  }

  /** Whoever may edit the identity may take away what it was given. */
  async delete(actor: Actor, address: Address): Promise<store.Privilege> {
    const { privilege, ability } = await this.#deps.lookup.reach(actor, address)
    await ability.require('edit', 'identity', { identityId: privilege.identityId })

    return this.#deps.db.transaction(async (tx) => {
      const deleted = await store.deleteById(tx, privilege.id)
      if (!deleted) throw noSuchPrivilege(address)
      await this.#record(tx, actor, 'delete', deleted)
      return deleted
    })
  }

  async #isMember(holder: store.Holder): Promise<boolean> {
    return isUuid(holder.identityId) && store.isMember(this.#deps.db.pool, holder)
  }

  async #record(tx: Tx, actor: Actor, verb: Verb, privilege: store.Privilege): Promise<void> {
    const { projectId, identityId } = privilege
    const type = `${verb}-identity-project-additional-privilege`
    await this.#deps.audit.record(tx, actor, { type, projectId, metadata: described(privilege) })
    await this.#deps.changes.append(tx, { scope: `actor:${identityId}`, kind: `privilege-${verb}d` })
  }
}

type Row = store.Holder & Granted & Validity

/** A slug that was asked for and is taken is refused; one that is made up is made up again. */
const insert = async (tx: Tx, row: Row, slug: string | undefined): Promise<store.Privilege> => {
  for (let attempt = 1; attempt <= SLUG_ATTEMPTS_MAX; attempt++) {
    const inserted = await store.insert(tx, { ...row, id: newId(), slug: slug ?? randomSlug() })
    if (inserted) return inserted
    if (slug !== undefined) throw slugTaken(slug)
  }
  throw new Error('No free slug was found for the privilege')
}

const recipientOf = ({ identityId }: store.Holder) => ({ subject: 'identity', fields: { identityId } }) as const

const described = ({ id, permissions, ...privilege }: store.Privilege) => ({
  privilegeId: id,
  identityId: privilege.identityId,
  slug: privilege.slug,
  permissions,
  isTemporary: privilege.isTemporary,
  temporaryRange: privilege.temporaryRange ?? undefined,
  temporaryAccessStartTime: privilege.temporaryAccessStartTime ?? undefined,
  temporaryAccessEndTime: privilege.temporaryAccessEndTime ?? undefined,
})

const slugTaken = (slug: string) =>
  badRequest(`The identity has a privilege with slug '${slug}' in this project already`)

const notAMember = ({ projectId, identityId }: store.Holder) =>
  forbidden(
    `The identity '${identityId}' is not a member of the project with id '${projectId}': add the identity to the project first`,
    { code: 'ProjectMembershipNotFound' },
  )

const notADirectMember = ({ identityId }: store.Holder) =>
  badRequest(
    `The identity '${identityId}' is in the project through a group only: add the identity itself to the project first`,
  )
