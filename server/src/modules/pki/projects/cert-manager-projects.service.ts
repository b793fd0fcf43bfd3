import { badRequest } from '../../../lib/app-error.ts'
import type { Database } from '../../../platform/db/db.ts'
import type { AuditLog } from '../../audit/audit.service.ts'
import type { Actor } from '../../permissions/actor.ts'
import type { PermissionService } from '../../permissions/permissions.service.ts'
import type { ProjectDetails, ProjectService } from '../../projects/projects.service.ts'
import * as store from './cert-manager-projects.store.ts'

type Deps = { db: Database; permissions: PermissionService; audit: AuditLog; projects: ProjectService }

/** Which project a request about certificates is for. */
export class CertManagerProjects {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** The one that was named, else the only one there is, else the chosen one. Whether the actor is in it is not asked. */
  async resolve(actor: Actor, explicitProjectId?: string): Promise<string> {
    if (explicitProjectId !== undefined) return (await this.#named(actor, explicitProjectId)).id
    const projects = await store.list(this.#deps.db.pool, actor.organizationId ?? '')
    const active = activeOf(projects)
    if (active) return active.id
    throw badRequest(
      projects.length === 0
        ? 'The organization has no project for certificates: create one of type cert-manager first'
        : 'The organization has several projects for certificates: say which one with projectId, or choose one',
    )
  }

  /** By slug, as older requests name it. */
  async resolveBySlug(actor: Actor, slug: string): Promise<string> {
    const project = await this.#deps.projects.getBySlug(actor, slug)
    if (project.type !== 'cert-manager') throw notForCertificates(slug)
    return project.id
  }

  async overview(actor: Actor) {
    await this.#deps.permissions.inOrganization(actor)
    const projects = await store.list(this.#deps.db.pool, actor.organizationId ?? '')
    return { active: activeOf(projects), projects }
  }

  /** For the whole organization, so it takes the right to change its settings. */
  async choose(actor: Actor, projectId: string) {
    const ability = await this.#deps.permissions.inOrganization(actor)
    await ability.require('edit', 'settings')
    const project = await this.#named(actor, projectId)
    return this.#deps.db.transaction(async (tx) => {
      const { organizationId } = project
      const previous = activeOf(await store.list(tx, organizationId))
      await store.setDefault(tx, { organizationId, projectId: project.id })
      await this.#deps.audit.record(tx, actor, {
        type: 'update-cert-manager-active-project',
        projectId: project.id,
        metadata: { projectId: project.id, previousProjectId: previous?.id ?? null },
      })
      return { project, previous }
    })
  }

  async #named(actor: Actor, id: string): Promise<ProjectDetails> {
    const project = await this.#deps.projects.find(id)
    // Another organization's looks like one that does not exist.
    if (project?.organizationId !== actor.organizationId || project?.type !== 'cert-manager') {
      throw notForCertificates(id)
    }
    return project
  }
}

const activeOf = (projects: readonly store.CertManagerProject[]) =>
  projects.length === 1 ? projects[0] : projects.find(({ isDefault }) => isDefault)

const notForCertificates = (named: string) =>
  badRequest(`The organization has no project '${named}' of type cert-manager`)
