import { notFound } from '../../lib/app-error.ts'
import type { LicenseService } from '../licenses/licenses.service.ts'
import type { PermissionService } from '../permissions/permissions.service.ts'
import type { ProjectService } from '../projects/projects.service.ts'
import type { Credential } from './credentials.ts'
import type { Verdict } from './subscriber.ts'
import type { SubscriptionFilter } from './subscription-filter.ts'

type Deps = { permissions: PermissionService; projects: ProjectService; licenses: LicenseService }
type Question = { credential: Credential; projectId: string; filter?: SubscriptionFilter }

/** Says whether somebody may be told of a project's changes now, and until when. */
export class Judge {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Throws the refusal. Without a filter, whether each is allowed is for the caller to ask with what this gives. */
  async verdictOn({ credential, projectId, filter }: Question): Promise<Verdict> {
    const { permissions, projects, licenses } = this.#deps
    const askedAt = performance.now()
    const actor = await credential.stillHolds()
    const ability = await permissions.inProject(actor, projectId)
    const project = await projects.find(projectId)
    if (!project) throw notFound(`Project with id '${projectId}' not found`)
    const environments = project.environments.map(({ slug }) => slug)
    if (filter) await ability.satisfy((present) => filter.requireAllowed(present, environments))
    const { endsAt } = await licenses.requireEventSubscriptions(project.organizationId)
    const { present } = ability
    const until = Math.min(credential.endsAt, endsAt, present.nextChangeAt() ?? Infinity)
    return { ability: present, environments, until, askedAt }
  }
}
