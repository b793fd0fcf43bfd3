import { badRequest, forbidden, notFound } from '../../lib/app-error.ts'
import { isUuid, newId } from '../../lib/uuid.ts'
import type { ChangeFeed } from '../../platform/changes/feed.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database, Tx } from '../../platform/db/db.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { OrganizationService } from '../organizations/organizations.service.ts'
import type { Actor } from '../permissions/actor.ts'
import type { PermissionService } from '../permissions/permissions.service.ts'
import type { Criteria } from './identities.schemas.ts'
import * as store from './identities.store.ts'
import * as memberships from './identity-memberships.store.ts'

type Deps = {
  db: Database
  permissions: PermissionService
  organizations: OrganizationService
  audit: AuditLog
  changes: ChangeFeed
  clock: Clock
}

type NewIdentity = {
  name: string
  organizationId: string
  role: string
  hasDeleteProtection: boolean
  metadata?: store.Metadata[] | undefined
}
type IdentityChanges = {
  [Field in 'name' | 'role' | 'hasDeleteProtection' | 'metadata']?: NewIdentity[Field] | undefined
}
type Ownership = { isInstanceAdmin?: boolean; projectId?: string | null }
type Owned = { projectId: string; identityId: string }
type Search = Omit<memberships.Page, 'now'> & { search?: (Criteria & { $or?: Criteria[] | undefined }) | undefined }

const NO_ACCESS = 'no-access'
const LISTED_MAX = 20_000

/** Machine identities of an organization: programs that log in by themselves. */
export class IdentityService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async create(actor: Actor, identity: NewIdentity) {
    const ability = await this.#deps.permissions.inOrganization(actor, identity.organizationId)
    await ability.require('create', 'identity')
    if (identity.role !== NO_ACCESS) await this.#requireMayGrant(actor, identity.role)
    return this.#deps.db.transaction((tx) => this.insert(tx, actor, identity))
  }

  /** Without asking whether the actor may. */
  async insert(
    tx: Tx,
    actor: Parameters<AuditLog['record']>[1],
    { role, metadata = [], projectId = null, ...identity }: NewIdentity & Ownership,
  ) {
    const { organizationId } = identity
    const granted = await this.#deps.organizations.resolveRole(tx, organizationId, role)
    const inserted = await store.insert(tx, { ...identity, id: newId(), projectId })
    const stored = await store.replaceMetadata(tx, inserted.id, metadata)
    await this.#deps.organizations.addMember(tx, { organizationId, identityId: inserted.id, roles: [granted] })
    await this.#record(tx, actor, 'create-identity', inserted)
    return { ...inserted, metadata: stored }
  }

  async update(actor: Actor, id: string, { role, metadata, ...changes }: IdentityChanges) {
    const ability = await this.#requireKnown(actor, id)
    await ability.require('edit', 'identity')
    if (role !== undefined && role !== NO_ACCESS) await this.#requireMayGrant(actor, role)

    return this.#deps.db.transaction(async (tx) => {
      const { organizationId } = await this.#lockManageable(tx, actor, id)
      if (role !== undefined) {
        const granted = await this.#deps.organizations.resolveRole(tx, organizationId, role)
        await this.#deps.organizations.setRoles(tx, { organizationId, identityId: id }, [granted])
      }
      return this.change(tx, actor, id, { ...changes, metadata })
    })
  }

  /** Without asking whether the actor may. */
  async change(tx: Tx, actor: Actor, id: string, { metadata, ...changes }: Omit<IdentityChanges, 'role'>) {
    const updated = await store.update(tx, id, changes)
    // wire: the answer shows the metadata that this call has set.
    const stored = metadata ? await store.replaceMetadata(tx, id, metadata) : []
    await this.#record(tx, actor, 'update-identity', updated)
    await this.#deps.changes.append(tx, { scope: `actor:${id}`, kind: 'identity-changed' })
    return { ...updated, metadata: stored }
  }

  async delete(actor: Actor, id: string): Promise<store.Identity> {
    const ability = await this.#requireKnown(actor, id)
    await ability.require('delete', 'identity')

    return this.#deps.db.transaction(async (tx) => {
      const identity = await this.#lockManageable(tx, actor, id)
      await this.erase(tx, actor, identity)
      return identity
    })
  }

  /** Undefined unless the project owns it; otherwise nobody else changes it until the end of the transaction. */
  async lockOwned(tx: Tx, { organizationId = '' }: Actor, { projectId, identityId }: Owned) {
    const identity = isUuid(identityId) ? await store.lock(tx, organizationId, identityId) : undefined
    return identity?.projectId === projectId ? identity : undefined
  }

  /** Without asking whether the actor may. Throws when it is protected. */
  async erase(tx: Tx, actor: Actor, identity: store.Identity): Promise<void> {
    if (identity.hasDeleteProtection) {
      throw badRequest('The identity is protected from deletion: take the protection off first')
    }
    await store.deleteById(tx, identity.id)
    await this.#record(tx, actor, 'delete-identity', identity)
    await this.#deps.changes.append(tx, { scope: `actor:${identity.id}`, kind: 'identity-deleted' })
  }

  async get(actor: Actor, id: string): Promise<memberships.IdentityMembership> {
    const ability = await this.#deps.permissions.inOrganization(actor)
    const organizationId = actor.organizationId ?? ''
    const now = new Date(this.#deps.clock.now())
    const found = isUuid(id)
      ? await memberships.find(this.#deps.db.pool, { organizationId, identityId: id, now })
      : undefined
    if (!found) throw noSuchIdentity(id)
    await ability.require('read', 'identity')
    return found
  }

  /** All of them, by name. */
  async list(actor: Actor, organizationId: string) {
    return this.#page(actor, { organizationId }, { ...BY_NAME, limit: LISTED_MAX, offset: 0 })
  }

  async search(actor: Actor, { search, ...page }: Search, organizationId = actor.organizationId ?? '') {
    return this.#page(actor, { organizationId, criteria: search }, page)
  }

  async mayList(actor: Actor): Promise<boolean> {
    const ability = await this.#deps.permissions.inOrganization(actor)
    return ability.can('read', 'identity')
  }

  async count(actor: Actor, search: Search['search']): Promise<number> {
    const ability = await this.#deps.permissions.inOrganization(actor)
    await ability.require('read', 'identity')
    return memberships.count(this.#deps.db.pool, { organizationId: actor.organizationId ?? '', criteria: search })
  }

  organizationOf(actor: Actor) {
    return this.#deps.organizations.get(actor, actor.organizationId ?? '')
  }

  async #page(actor: Actor, selection: memberships.Selection, page: Omit<memberships.Page, 'now'>) {
    const ability = await this.#deps.permissions.inOrganization(actor, selection.organizationId)
    await ability.require('read', 'identity')
    const [identities, totalCount] = await Promise.all([
      this.#list(selection, page),
      memberships.count(this.#deps.db.pool, selection),
    ])
    return { identities, totalCount }
  }

  #list(
    selection: memberships.Selection,
    page: Omit<memberships.Page, 'now'>,
  ): Promise<memberships.IdentityMembership[]> {
    return memberships.list(this.#deps.db.pool, selection, { ...page, now: new Date(this.#deps.clock.now()) })
  }

  #record(tx: Tx, actor: Parameters<AuditLog['record']>[1], type: string, identity: store.Identity): Promise<void> {
    const { organizationId, projectId } = identity
    const metadata = type === 'delete-identity' ? { identityId: identity.id } : describe(identity)
    return this.#deps.audit.record(tx, actor, { type, organizationId, projectId: projectId ?? undefined, metadata })
  }

  async #requireMayGrant(actor: Actor, role: string): Promise<void> {
    await this.#deps.organizations.resolveRole(this.#deps.db.pool, actor.organizationId ?? '', role)
    const ability = await this.#deps.permissions.inOrganization(actor)
    await ability.requireBoundary('grant-privileges', 'identity')
  }

  /** The actor's ability, once it is certain that there is such an identity. */
  async #requireKnown(actor: Actor, id: string) {
    const ability = await this.#deps.permissions.inOrganization(actor)
    const { organizationId = '' } = actor
    const known = isUuid(id) && (await store.findById(this.#deps.db.pool, organizationId, id))
    if (!known) throw noSuchIdentity(id)
    return ability
  }

  async #lockManageable(tx: Tx, actor: Actor, id: string): Promise<store.Identity> {
    const identity = await store.lock(tx, actor.organizationId ?? '', id)
    if (!identity) throw noSuchIdentity(id)
    requireMayManage(actor, identity)
    return identity
  }
}

const BY_NAME = { orderBy: 'name', orderDirection: 'asc' } as const

const noSuchIdentity = (id: string) => notFound(`Machine identity with id '${id}' not found`)

const requireMayManage = (actor: Actor, identity: store.Identity): void => {
  if (identity.isInstanceAdmin && !actor.isInstanceAdmin) {
    throw forbidden('Only an administrator of the instance may change an identity that is one')
  }
  if (identity.projectId !== null) throw badRequest('The identity belongs to a project and is managed there')
}

const describe = ({ id, name, hasDeleteProtection }: store.Identity) => ({ identityId: id, name, hasDeleteProtection })
