import { notFound } from '../../lib/app-error.ts'
import type { ChangeFeed } from '../../platform/changes/feed.ts'
import type { Keyring } from '../../platform/crypto/keyring.ts'
import type { Database, Tx } from '../../platform/db/db.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { EnvironmentService } from '../environments/environments.service.ts'
import type { ProjectMemberService } from '../memberships/project-members.service.ts'
import type { Actor } from '../permissions/actor.ts'
import type { PermissionService } from '../permissions/permissions.service.ts'
import {
  DATA_KEY_PURPOSE,
  type Project,
  type ProjectDetails,
  type ProjectService,
} from '../projects/projects.service.ts'
import type { FolderService } from '../secrets/folders.service.ts'
import * as store from './project-lifecycle.store.ts'

type Deps = {
  db: Database
  permissions: PermissionService
  projects: ProjectService
  environments: EnvironmentService
  members: ProjectMemberService
  folders: FolderService
  keyring: Keyring
  revocations: LastLists
  audit: AuditLog
  changes: ChangeFeed
}

/** What the authorities of a project have taken back is said on lists that outlive it. */
type LastLists = {
  catchUp(projectId: string): Promise<void>
  publishLastOf(tx: Tx, projectId: string): Promise<void>
}

type NewProject = {
  name: string
  description: string | null
  slug: string | undefined
  type: string
  kmsKeyId: string | undefined
  template: string
  shouldCreateDefaultEnvs: boolean
  hasDeleteProtection: boolean
}

const ADMIN = { role: 'admin', customRoleId: null }
const DEFAULT_TEMPLATE = 'default'
const CHANGES_AT_ONCE = 1_000

/** The beginning and the end of a project, each in one transaction: it is there with all that belongs to it, or not at all. */
export class ProjectLifecycleService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Its administrator is whoever makes it. */
  async create(actor: Actor, { kmsKeyId, template, shouldCreateDefaultEnvs, ...project }: NewProject) {
    const { projects, environments, folders, members, keyring, audit } = this.#deps
    await this.#requireMayCreate(actor)
    if (kmsKeyId !== undefined) throw notFound(`Key with id '${kmsKeyId}' not found: the project gets one of its own`)
    if (template !== DEFAULT_TEMPLATE) throw notFound(`Project template '${template}' not found`)

    const { organizationId = '' } = actor
    return this.#deps.db.transaction(async (tx): Promise<ProjectDetails> => {
      const { id, name, slug } = await projects.insert(tx, { ...project, organizationId })
      if (shouldCreateDefaultEnvs) await folders.createRoots(tx, id, await environments.insertDefaults(tx, id))
      await members.addMember(tx, { organizationId, projectId: id, roles: [ADMIN], ...memberKeyOf(actor) })
      await keyring.ensure(tx, DATA_KEY_PURPOSE, id)
      const { description, type, hasDeleteProtection } = project
      const metadata = { name, slug, description, type, template, shouldCreateDefaultEnvs, hasDeleteProtection }
      await audit.record(tx, actor, { type: 'create-project', projectId: id, metadata })
      return projects.getDetails(tx, id)
    })
  }

  async delete(actor: Actor, projectId: string): Promise<Project> {
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    await ability.require('delete', 'workspace')

    await this.#deps.revocations.catchUp(projectId)
    return this.#deps.db.transaction(async (tx) => {
      const project = await this.#deps.projects.lockToDelete(tx, projectId)
      await this.#deps.revocations.publishLastOf(tx, projectId)
      const identityIds = await store.listIdentityIds(tx, projectId)
      await this.#deps.projects.delete(tx, projectId)
      await this.#deps.keyring.destroyOwnedBy(tx, projectId)
      const metadata = { id: projectId, name: project.name, slug: project.slug, softDelete: false }
      await this.#deps.audit.record(tx, actor, { type: 'delete-project', projectId, metadata })
      await this.#announceDeleted(tx, projectId, identityIds)
      return project
    })
  }

  async deleteBySlug(actor: Actor, slug: string): Promise<Project> {
    const { id } = await this.#deps.projects.getBySlug(actor, slug)
    return this.delete(actor, id)
  }

  async #requireMayCreate(actor: Actor): Promise<void> {
    const ability = await this.#deps.permissions.inOrganization(actor)
    if (!(await ability.can('create', 'workspace'))) await ability.require('create', 'project')
  }

  async #announceDeleted(tx: Tx, projectId: string, identityIds: readonly string[]): Promise<void> {
    await this.#deps.changes.append(tx, { scope: `project:${projectId}`, kind: 'project-deleted' })
    for (let start = 0; start < identityIds.length; start += CHANGES_AT_ONCE) {
      const some = identityIds.slice(start, start + CHANGES_AT_ONCE)
      await this.#deps.changes.append(tx, ...some.map((id) => ({ scope: `actor:${id}`, kind: 'identity-deleted' })))
    }
  }
}

const memberKeyOf = ({ type, id }: Actor) => (type === 'user' ? { userId: id } : { identityId: id })
