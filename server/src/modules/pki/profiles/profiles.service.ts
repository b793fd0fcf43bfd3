import { badRequest, forbidden, notFound } from '../../../lib/app-error.ts'
import { isUuid, newId } from '../../../lib/uuid.ts'
import type { ChangeFeed } from '../../../platform/changes/feed.ts'
import type { Database, Tx } from '../../../platform/db/db.ts'
import { isForeignKeyViolation, isUniqueViolation } from '../../../platform/db/failures.ts'
import type { AuditLog } from '../../audit/audit.service.ts'
import type { Actor } from '../../permissions/actor.ts'
import type { PermissionService } from '../../permissions/permissions.service.ts'
import * as authorities from '../authorities/authorities.store.ts'
import { violationsOf } from '../policies/policy-check.ts'
import * as policies from '../policies/policies.store.ts'
import type { CertManagerProjects } from '../projects/cert-manager-projects.service.ts'
import { readablePage } from '../readable-pages.ts'
import { askedByDefaults, type ProfileDefaults } from './profile-defaults.ts'
import * as store from './profiles.store.ts'

export type { ProfileInUse } from './profiles.store.ts'

type Deps = {
  db: Database
  permissions: PermissionService
  audit: AuditLog
  changes: ChangeFeed
  certManagerProjects: CertManagerProjects
}

type Action = 'read' | 'edit' | 'delete' | 'issue-cert'
type Enrollment = { enrollmentType?: string | undefined; apiConfig?: store.ApiConfig | null | undefined }
export type NewProfile = Enrollment & {
  slug: string
  description?: string | null | undefined
  certificatePolicyId: string
  issuerType: 'ca' | 'self-signed'
  caId?: string | null | undefined
  defaults?: ProfileDefaults | null | undefined
}
export type ProfileChanges = Partial<{ [Field in keyof NewProfile]: NewProfile[Field] | undefined }>
type Query = store.Page & {
  projectId?: string | undefined
  search?: string | undefined
  enrollmentType?: string | undefined
  issuerType?: string | undefined
  caId?: string | undefined
}
type Parts = Pick<store.Profile, 'projectId' | 'certificatePolicyId' | 'issuerType' | 'caId' | 'defaults'>

/** Ways to get a certificate: an authority, the policy it keeps to, and what is taken for granted. */
export class ProfileService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async create(actor: Actor, project: string | undefined, wish: NewProfile): Promise<store.Profile> {
    const projectId = await this.#deps.certManagerProjects.resolve(actor, project)
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    await ability.require('create', 'certificate-profiles', { slug: wish.slug })
    requireBuilt(wish)
    const { slug, description = null, issuerType, caId = null, defaults = null, apiConfig = null } = wish
    const parts = { projectId, certificatePolicyId: wish.certificatePolicyId, issuerType, caId, defaults }
    await this.#requireSound(actor, parts)

    return this.#deps.db.transaction(async (tx) => {
      const row = { ...parts, id: newId(), slug, description, apiConfig, apiConfigId: apiConfig && newId() }
      const profile = await store.insert(tx, row).catch(goneMeanwhile)
      if (!profile) throw slugTaken(slug)
      await this.#record(tx, actor, 'create', profile)
      return profile
    })
  }

  async list(actor: Actor, { projectId: project, offset, limit, enrollmentType = 'api', ...query }: Query) {
    const projectId = await this.#deps.certManagerProjects.resolve(actor, project)
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    await ability.require('read', 'certificate-profiles')
    const db = this.#deps.db.pool
    const filter = { ...query, isEnrollmentBuilt: enrollmentType === 'api' }
    const mayRead = ability.present.within('read', 'certificate-profiles', {})
    const page = { offset, limit }
    const { rows: profiles, totalCount } = await readablePage(ability.present, 'certificate-profiles', page, {
      list: (part) => store.list(db, projectId, filter, part),
      count: () => store.count(db, projectId, filter),
      isReadable: ({ slug }) => mayRead({ slug }),
    })
    return { profiles, totalCount }
  }

  get(actor: Actor, id: string): Promise<store.ProfileInUse> {
    return this.reach(actor, id, 'read')
  }

  async getBySlug(actor: Actor, project: string | undefined, slug: string): Promise<store.ProfileInUse> {
    const projectId = await this.#deps.certManagerProjects.resolve(actor, project)
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    await ability.require('read', 'certificate-profiles', { slug })
    const profile = await store.findBySlug(this.#deps.db.pool, projectId, slug)
    if (!profile) throw notFound(`Certificate profile with slug '${slug}' not found`)
    return profile
  }

  /** What is undefined stays as it is. */
  async update(actor: Actor, id: string, changes: ProfileChanges): Promise<store.Profile> {
    const known = await this.reach(actor, id, 'edit')
    if (changes.slug !== undefined) {
      const ability = await this.#deps.permissions.inProject(actor, known.projectId)
      await ability.require('edit', 'certificate-profiles', { slug: changes.slug })
    }
    requireBuilt(changes)
    const wish = wishIn(changes)
    const parts = { ...known, ...withoutUndefined(wish) }
    if (parts.issuerType === 'self-signed' && changes.caId === undefined) parts.caId = null
    await this.#requireSound(actor, parts)

    return this.#deps.db.transaction(async (tx) => {
      const before = await store.lock(tx, known.id)
      if (!before) throw noSuchProfile(id)
      const { apiConfig } = wish
      const apiConfigId = apiConfig === undefined ? before.apiConfigId : apiConfig && (before.apiConfigId ?? newId())
      const row = { ...withoutUndefined(wish), issuerType: parts.issuerType, caId: parts.caId, apiConfigId }
      const profile = await store.update(tx, known.id, row).catch((error: unknown) => {
        throw isUniqueViolation(error) ? slugTaken(changes.slug ?? '') : error
      })
      await this.#record(tx, actor, 'update', profile)
      return profile
    })
  }

  async delete(actor: Actor, id: string): Promise<store.Profile> {
    const known = await this.reach(actor, id, 'delete')
    return this.#deps.db.transaction(async (tx) => {
      const profile = await store.deleteById(tx, known.id)
      if (!profile) throw noSuchProfile(id)
      await this.#record(tx, actor, 'delete', profile)
      return profile
    })
  }

  /** One on which the actor may do this. */
  async reach(actor: Actor, givenId: string, action: Action): Promise<store.ProfileInUse> {
    const id = givenId.toLowerCase()
    const profile = isUuid(id) ? await store.findById(this.#deps.db.pool, actor.organizationId ?? '', id) : undefined
    if (!profile) throw noSuchProfile(givenId)
    const ability = await this.#deps.permissions.inProject(actor, profile.projectId)
    await ability.require(action, 'certificate-profiles', { slug: profile.slug })
    return profile
  }

  /** Its policy and its authority are there and in the same project, and its defaults keep to the policy. */
  async #requireSound(
    actor: Actor,
    { projectId, certificatePolicyId, issuerType, caId, defaults }: Parts,
  ): Promise<void> {
    if (issuerType === 'ca' && caId === null) throw badRequest('A profile with issuer type ca needs a caId')
    if (issuerType === 'self-signed' && caId !== null) throw badRequest('A self-signed profile has no caId')
    const { organizationId = '' } = actor
    const policy = await policies.findById(this.#deps.db.pool, organizationId, certificatePolicyId)
    if (!policy) throw notFound(`Certificate policy with id '${certificatePolicyId}' not found`)
    if (policy.projectId !== projectId) throw forbidden('The certificate policy belongs to another project')
    if (caId !== null) {
      const ca = await authorities.findById(this.#deps.db.pool, caId)
      if (ca?.organizationId !== organizationId) throw notFound(`Certificate authority with id '${caId}' not found`)
      if (ca.projectId !== projectId) throw forbidden('The certificate authority belongs to another project')
    }
    const violations = defaults ? violationsOf(policy.rules, askedByDefaults(defaults), { isPartial: true }) : []
    if (violations.length > 0) throw badRequest(`The defaults do not fit the policy: ${violations.join(', ')}`)
  }

  async #record(tx: Tx, actor: Actor, verb: 'create' | 'update' | 'delete', profile: store.Profile): Promise<void> {
    const { id, projectId, slug: name, issuerType } = profile
    const metadata = { certificateProfileId: id, name, issuerType, enrollmentType: 'api' }
    await this.#deps.audit.record(tx, actor, { type: `${verb}-certificate-profile`, projectId, metadata })
    await this.#deps.changes.append(tx, { scope: `certificate-profile:${id}`, kind: `certificate-profile-${verb}d` })
  }
}

const requireBuilt = ({ enrollmentType = 'api' }: Enrollment): void => {
  if (enrollmentType === 'api') return
  throw badRequest(`Enrolment by ${enrollmentType.toUpperCase()} is not built: use enrollment type api`)
}

const goneMeanwhile = (error: unknown): never => {
  throw isForeignKeyViolation(error) ? notFound('The certificate policy or authority has just been deleted') : error
}

/** There is but one way of enrolment, so it is not kept. */
const wishIn = ({ slug, description, certificatePolicyId, issuerType, caId, apiConfig, defaults }: ProfileChanges) => ({
  slug,
  description,
  certificatePolicyId,
  issuerType,
  caId,
  apiConfig,
  defaults,
})

type Given<Wish> = { [Field in keyof Wish]: Exclude<Wish[Field], undefined> }

const withoutUndefined = <Wish extends object>(wish: Wish) =>
  Object.fromEntries(Object.entries(wish).filter(([, value]) => value !== undefined)) as Partial<Given<Wish>>

const noSuchProfile = (id: string) => notFound(`Certificate profile with id '${id}' not found`)
/** wire: 403, where other names that are taken answer 400. */
const slugTaken = (slug: string) => forbidden(`The project has a certificate profile with slug '${slug}' already`)
