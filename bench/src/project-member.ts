import type { Request } from './load/request.ts'
import type { Project, Tenant } from './tenant.ts'

const PATH = '/api/v2/identity-project-additional-privilege'
const PERMISSIONS = [
  {
    subject: 'secrets',
    action: ['describeSecret', 'readValue'],
    conditions: { environment: 'dev', secretPath: { $glob: '/apps/**' } },
  },
]

/** A machine identity in a project, and what can be asked about its privileges there. */
export class ProjectMember {
  readonly #tenant: Tenant
  readonly #identityId: string
  readonly #project: Project

  private constructor(tenant: Tenant, identityId: string, project: Project) {
    this.#tenant = tenant
    this.#identityId = identityId
    this.#project = project
  }

  static async add(tenant: Tenant, project: Project): Promise<ProjectMember> {
    const identityId = await tenant.createIdentity()
    await tenant.post(`/api/v1/projects/${project.id}/memberships/identities/${identityId}`, { role: 'member' })
    return new ProjectMember(tenant, identityId, project)
  }

  /** The id of a new privilege. */
  async grant(slug: string): Promise<string> {
    const answer = await this.#tenant.post(PATH, this.#newPrivilege(slug))
    return answer.text('privilege.id')
  }

  createRequest(): Request {
    return { method: 'POST', path: PATH, token: this.#tenant.token, body: this.#newPrivilege('bench-{n}') }
  }

  getRequest(privilegeId: string): Request {
    return { method: 'GET', path: `${PATH}/${privilegeId}`, token: this.#tenant.token }
  }

  listRequest(): Request {
    const query = new URLSearchParams({ identityId: this.#identityId, projectId: this.#project.id })
    return { method: 'GET', path: `${PATH}?${query.toString()}`, token: this.#tenant.token }
  }

  #newPrivilege(slug: string): object {
    return {
      identityId: this.#identityId,
      projectId: this.#project.id,
      slug,
      permissions: PERMISSIONS,
      type: { isTemporary: false },
    }
  }
}
