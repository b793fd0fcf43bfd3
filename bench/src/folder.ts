import type { Request } from './load/request.ts'
import type { Project, Tenant } from './tenant.ts'

const ENVIRONMENT = 'dev'
const BATCH = 100
/** Of about the length of a connection string. */
const VALUE = 'postgres://app:0123456789abcdef@db.internal.example.com:5432/app'

/** A folder of secrets, and what can be asked about them. */
export class Folder {
  readonly #tenant: Tenant
  readonly #project: Project
  readonly #path: string
  #size = 0

  private constructor(tenant: Tenant, project: Project, path: string) {
    this.#tenant = tenant
    this.#project = project
    this.#path = path
  }

  static async create(tenant: Tenant, project: Project, size = 0): Promise<Folder> {
    const name = `bench-${Date.now()}-${Math.floor(Math.random() * 1e6)}`
    await tenant.post('/api/v2/folders', { projectId: project.id, environment: ENVIRONMENT, path: '/', name })
    const folder = new Folder(tenant, project, `/${name}`)
    await folder.growTo(size)
    return folder
  }

  /** Its keys are SECRET_0 and so on. */
  async growTo(size: number): Promise<void> {
    while (this.#size < size) {
      const count = Math.min(BATCH, size - this.#size)
      const secrets = Array.from({ length: count }, (_, index) => ({
        secretKey: `SECRET_${this.#size + index}`,
        secretValue: VALUE,
      }))
      await this.#tenant.post('/api/v4/secrets/batch', { ...this.#place, secrets })
      this.#size += count
    }
  }

  listRequest(): Request {
    return { method: 'GET', path: `/api/v4/secrets?${this.#query('projectId')}`, token: this.#tenant.token }
  }

  legacyListRequest(): Request {
    return { method: 'GET', path: `/api/v3/secrets/raw?${this.#query('workspaceId')}`, token: this.#tenant.token }
  }

  getRequest(key: string): Request {
    return { method: 'GET', path: `/api/v4/secrets/${key}?${this.#query('projectId')}`, token: this.#tenant.token }
  }

  createRequest(): Request {
    return this.#write('POST', '/api/v4/secrets/KEY_{n}', { secretValue: VALUE })
  }

  updateRequest(key: string): Request {
    return this.#write('PATCH', `/api/v4/secrets/${key}`, { secretValue: `${VALUE}?{n}` })
  }

  batchRequest(): Request {
    const secrets = Array.from({ length: BATCH }, (_, index) => ({ secretKey: `KEY_{n}_${index}`, secretValue: VALUE }))
    return this.#write('POST', '/api/v4/secrets/batch', { secrets })
  }

  get #place() {
    return { projectId: this.#project.id, environment: ENVIRONMENT, secretPath: this.#path }
  }

  #query(project: 'projectId' | 'workspaceId'): string {
    const { projectId, environment, secretPath } = this.#place
    return new URLSearchParams({ [project]: projectId, environment, secretPath, viewSecretValue: 'true' }).toString()
  }

  #write(method: 'POST' | 'PATCH', path: string, body: object): Request {
    return { method, path, token: this.#tenant.token, body: { ...this.#place, ...body } }
  }
}
