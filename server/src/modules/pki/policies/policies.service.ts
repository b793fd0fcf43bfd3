import { badRequest, notFound } from '../../../lib/app-error.ts'
import { isUuid, newId } from '../../../lib/uuid.ts'
import type { ChangeFeed } from '../../../platform/changes/feed.ts'
import type { Database, Tx } from '../../../platform/db/db.ts'
import { isForeignKeyViolation, isUniqueViolation } from '../../../platform/db/failures.ts'
import type { AuditLog } from '../../audit/audit.service.ts'
import type { Actor } from '../../permissions/actor.ts'
import type { PermissionService } from '../../permissions/permissions.service.ts'
import type { CertManagerProjects } from '../projects/cert-manager-projects.service.ts'
import { readablePage } from '../readable-pages.ts'
import type { PolicyRules } from './policy-rules.ts'
import * as store from './policies.store.ts'

export type { Policy } from './policies.store.ts'

type Deps = {
  db: Database
  permissions: PermissionService
  audit: AuditLog
  changes: ChangeFeed
  certManagerProjects: CertManagerProjects
}
type Action = 'read' | 'edit' | 'delete'
type NewPolicy = { name: string; description?: string | null | undefined; rules: PolicyRules }
type PolicyChanges = { name?: string | undefined; description?: string | null | undefined; rules: PolicyRules }

/** What certificates may look like that are issued under a policy. */
export class PolicyService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async create(actor: Actor, project: string | undefined, { name, description = null, rules }: NewPolicy) {
    const projectId = await this.#deps.certManagerProjects.resolve(actor, project)
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    await ability.require('create', 'certificate-policies', { name })
    return this.#deps.db.transaction(async (tx) => {
      const row = { id: newId(), projectId, name, description, rules: withoutNulls(rules) }
      const policy = await store.insert(tx, row)
      if (!policy) throw nameTaken(name)
      await this.#record(tx, actor, 'create', policy)
      return policy
    })
  }

  /** Those that the actor may read. */
  async list(actor: Actor, { projectId: project, search, ...page }: store.Page & { projectId?: string | undefined }) {
    const projectId = await this.#deps.certManagerProjects.resolve(actor, project)
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    await ability.require('read', 'certificate-policies')
    const db = this.#deps.db.pool
    const mayRead = ability.present.within('read', 'certificate-policies', {})
    const { rows: policies, totalCount } = await readablePage(ability.present, 'certificate-policies', page, {
      list: (part) => store.list(db, projectId, { ...part, search }),
      count: () => store.count(db, projectId, search),
      isReadable: ({ name }) => mayRead({ name }),
    })
    return { policies, totalCount }
  }

  get(actor: Actor, id: string): Promise<store.Policy> {
    return this.#reach(actor, id, 'read')
  }

  /** What is undefined stays as it is; a section that is null is taken out. */
  async update(actor: Actor, id: string, { rules, ...changes }: PolicyChanges): Promise<store.Policy> {
    const { id: policyId, projectId } = await this.#reach(actor, id, 'edit')
    if (changes.name !== undefined) {
      const ability = await this.#deps.permissions.inProject(actor, projectId)
      await ability.require('edit', 'certificate-policies', { name: changes.name })
    }
    return this.#deps.db.transaction(async (tx) => {
      const before = await store.lock(tx, policyId)
      if (!before) throw noSuchPolicy(id)
      const merged = { ...before.rules, ...withoutUndefined(rules) }
      const policy = await store
        .update(tx, policyId, { ...changes, rules: withoutNulls(merged) })
        .catch((error: unknown) => {
          throw isUniqueViolation(error) ? nameTaken(changes.name ?? '') : error
        })
      await this.#record(tx, actor, 'update', policy)
      return policy
    })
  }

  async delete(actor: Actor, id: string): Promise<store.Policy> {
    const { id: policyId } = await this.#reach(actor, id, 'delete')
    return this.#deps.db.transaction(async (tx) => {
      const policy = await store.deleteById(tx, policyId).catch((error: unknown) => {
        throw isForeignKeyViolation(error) ? badRequest('The policy is used by profiles: delete those first') : error
      })
      if (!policy) throw noSuchPolicy(id)
      await this.#record(tx, actor, 'delete', policy)
      return policy
    })
  }

  async #reach(actor: Actor, givenId: string, action: Action): Promise<store.Policy> {
    const id = givenId.toLowerCase()
    const policy = isUuid(id) ? await store.findById(this.#deps.db.pool, actor.organizationId ?? '', id) : undefined
    if (!policy) throw noSuchPolicy(givenId)
    const ability = await this.#deps.permissions.inProject(actor, policy.projectId)
    await ability.require(action, 'certificate-policies', { name: policy.name })
    return policy
  }

  async #record(tx: Tx, actor: Actor, verb: 'create' | 'update' | 'delete', policy: store.Policy): Promise<void> {
    const { id, projectId, name } = policy
    const metadata = { certificatePolicyId: id, name }
    await this.#deps.audit.record(tx, actor, { type: `${verb}-certificate-policy`, projectId, metadata })
    await this.#deps.changes.append(tx, { scope: `certificate-policy:${id}`, kind: `certificate-policy-${verb}d` })
  }
}

const withoutUndefined = (rules: PolicyRules): PolicyRules =>
  Object.fromEntries(Object.entries(rules).filter(([, section]) => section !== undefined))

/** Nothing is said by a section that is null. */
const withoutNulls = (rules: PolicyRules): PolicyRules =>
  Object.fromEntries(Object.entries(rules).filter(([, section]) => section !== null && section !== undefined))

const noSuchPolicy = (id: string) => notFound(`Certificate policy with id '${id}' not found`)
const nameTaken = (name: string) => badRequest(`The project has a certificate policy named '${name}' already`)
