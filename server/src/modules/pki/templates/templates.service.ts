import { badRequest, notFound } from '../../../lib/app-error.ts'
import { isUuid, newId } from '../../../lib/uuid.ts'
import type { Database, Tx } from '../../../platform/db/db.ts'
import { isForeignKeyViolation, isUniqueViolation } from '../../../platform/db/failures.ts'
import type { AuditLog } from '../../audit/audit.service.ts'
import type { Actor } from '../../permissions/actor.ts'
import type { PermissionService } from '../../permissions/permissions.service.ts'
import { type AuthorityLookup, noSuchAuthority } from '../authorities/authority-lookup.service.ts'
import { requireNamePattern } from './name-pattern.ts'
import * as store from './templates.store.ts'
import type { Template } from './templates.store.ts'

export type { Template } from './templates.store.ts'

type Deps = { db: Database; permissions: PermissionService; audit: AuditLog; authorityLookup: AuthorityLookup }
type Action = 'read' | 'create' | 'edit' | 'delete' | 'issue-cert'
type NewTemplate = Omit<store.NewRow, 'id' | 'createdAt' | 'updatedAt'>
type Changes = { [Field in keyof NewTemplate]?: NewTemplate[Field] | undefined }

/** What certificates may be issued by an authority without a profile: older clients name one in each request. */
export class TemplateService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async create(actor: Actor, wish: NewTemplate): Promise<Template> {
    const ca = await this.#authority(actor, wish.caId)
    await this.#require(actor, { projectId: ca.projectId, name: wish.name }, 'create')
    requirePatterns(wish)
    return this.#deps.db.transaction(async (tx) => {
      const id = newId()
      const isNew = await store.insert(tx, { ...wish, id }).catch((error: unknown) => {
        throw isForeignKeyViolation(error) ? noSuchAuthority(wish.caId) : error
      })
      if (!isNew) throw nameTaken(wish.name)
      return this.#tell(tx, actor, id, 'create-certificate-template')
    })
  }

  /** In the organization of the actor, who must be allowed the action on it. */
  async get(actor: Actor, id: string, action: Action = 'read'): Promise<Template> {
    const template = isUuid(id) ? await store.findById(this.#deps.db.pool, id) : undefined
    if (template?.organizationId !== actor.organizationId || !template) throw noSuchTemplate(id)
    await this.#require(actor, template, action)
    return template
  }

  /** What is undefined stays as it is. */
  async update(actor: Actor, id: string, changes: Changes): Promise<Template> {
    const before = await this.get(actor, id, 'edit')
    if (changes.name !== undefined) await this.#require(actor, { ...before, name: changes.name }, 'edit')
    if (changes.caId !== undefined && (await this.#authority(actor, changes.caId)).projectId !== before.projectId) {
      throw badRequest('The certificate authority is in another project')
    }
    requirePatterns(changes)
    if (Object.values(changes).every((value) => value === undefined)) return before
    return this.#deps.db.transaction(async (tx) => {
      await store.update(tx, id, withoutUndefined(changes)).catch((error: unknown) => {
        throw isUniqueViolation(error) ? nameTaken(changes.name ?? before.name) : error
      })
      return this.#tell(tx, actor, id, 'update-certificate-template')
    })
  }

  async delete(actor: Actor, id: string): Promise<Template> {
    await this.get(actor, id, 'delete')
    return this.#deps.db.transaction(async (tx) => {
      const template = await this.#tell(tx, actor, id, 'delete-certificate-template')
      await store.deleteById(tx, id)
      return template
    })
  }

  async #tell(tx: Tx, actor: Actor, id: string, type: string): Promise<Template> {
    const template = await store.findById(tx, id)
    if (!template) throw noSuchTemplate(id)
    const { projectId, caId, name } = template
    await this.#deps.audit.record(tx, actor, { type, projectId, metadata: { certificateTemplateId: id, caId, name } })
    return template
  }

  async #authority(actor: Actor, caId: string) {
    const ca = await this.#deps.authorityLookup.findUnasked(actor, caId)
    if (!ca) throw noSuchAuthority(caId)
    return ca
  }

  async #require(actor: Actor, { projectId, name }: { projectId: string; name: string }, action: Action) {
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    await ability.require(action, 'certificate-templates', { name })
  }
}

const requirePatterns = ({ commonName, subjectAlternativeName }: Changes): void => {
  for (const pattern of [commonName, subjectAlternativeName]) if (pattern !== undefined) requireNamePattern(pattern)
}

const withoutUndefined = (changes: Changes): store.Changes =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))

const noSuchTemplate = (id: string) => notFound(`Certificate template with ID '${id}' not found`)
const nameTaken = (name: string) => badRequest(`The certificate authority has a template named '${name}' already`)
