import { notFound } from '../../lib/app-error.ts'
import type { Database } from '../../platform/db/db.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { UserActor } from '../permissions/actor.ts'
import type { PermissionService } from '../permissions/permissions.service.ts'
import type { ProjectService } from '../projects/projects.service.ts'
import type { ProjectMemberService, ProjectMembership } from './project-members.service.ts'

type Deps = {
  db: Database
  permissions: PermissionService
  projects: ProjectService
  members: ProjectMemberService
  audit: AuditLog
}

const ADMIN = [{ role: 'admin' }]

/** How an organization gets into its projects, also when nobody is left there. */
export class AdminAccessService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Makes the actor an administrator of the project, in place of whatever roles it holds there itself. */
  async grantTo(actor: UserActor, projectId: string): Promise<ProjectMembership & { userId: string }> {
    const ability = await this.#deps.permissions.inOrganization(actor)
    await ability.require('access-all-projects', 'organization-admin-console')
    const { organizationId = '', id: userId } = actor
    const project = await this.#deps.projects.find(projectId)
    if (project?.organizationId !== organizationId) throw notFound(`Project with id '${projectId}' not found`)

    return this.#deps.db.transaction(async (tx) => {
      const present = await this.#deps.members.lock(tx, { projectId, userId })
      if (present) await this.#deps.members.setRoles(tx, present, ADMIN)
      const membership = present ?? (await this.#deps.members.admit(tx, { organizationId, projectId, userId }, ADMIN))
      const metadata = { projectId, userId, username: actor.username, email: actor.email }
      await this.#deps.audit.record(tx, actor, { type: 'org-admin-accessed-project', projectId, metadata })
      return { ...membership, userId }
    })
  }
}
