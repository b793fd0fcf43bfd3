import { openBeside } from './test-database.ts'
import { fresh } from './test-members.ts'
import { createProject } from './test-projects.ts'
import { type Answer, startTestServer, type TestServer } from './test-server.ts'

export const CA = '/api/v1/cert-manager/ca/internal'
export const DAY_MS = 86_400_000

const STARTED_AT = Math.floor(Date.now() / 1_000) * 1_000

/** A time some days from now, in whole seconds: the same for the same number, however long a test takes. */
export const inDays = (days: number): string => new Date(STARTED_AT + days * DAY_MS).toISOString()

/** A server with an organization, a project for certificates and a database connection beside it. */
export const startPkiServer = async () => {
  const server = await startTestServer()
  const admin = await server.bootstrap()
  const beside = openBeside(server.url)
  const project = await createProject(server, admin.token, { type: 'cert-manager', slug: 'certificates' })
  return { server, admin, project, db: beside.pool, authorities: new TestAuthorities(server, admin.token, project.id) }
}

type Wish = {
  type?: 'root' | 'intermediate'
  keyAlgorithm?: string
  notAfter?: string | undefined
  maxPathLength?: number
  [field: string]: unknown
}

/** Makes authorities. */
export class TestAuthorities {
  readonly #server: TestServer
  readonly #token: string
  readonly #projectId: string

  constructor(server: TestServer, token: string, projectId: string) {
    this.#server = server
    this.#token = token
    this.#projectId = projectId
  }

  /** The body of a request for one; a root with a certificate for ten years unless it says otherwise. */
  body({ type = 'root', ...configuration }: Wish = {}, name = fresh('ca')) {
    return {
      name,
      status: 'active',
      projectId: this.#projectId,
      configuration: {
        type,
        keyAlgorithm: 'EC_prime256v1',
        commonName: name,
        organization: 'Acme',
        ...(type === 'root' && { notAfter: inDays(3_650) }),
        ...configuration,
      },
    }
  }

  async create(wish: Wish = {}, name?: string): Promise<AuthorityBody> {
    return expectOk(await this.#server.post(CA, this.body(wish, name), { token: this.#token })).body as AuthorityBody
  }

  generate(caId: string, body: object = {}): Promise<Answer> {
    const term = { notBefore: inDays(0), notAfter: inDays(30) }
    return this.#server.post(`${CA}/${caId}/certificate`, { ...term, ...body }, { token: this.#token })
  }

  /** An intermediate with its certificate. */
  async createUnder(parentCaId: string, wish: Wish = {}, term: object = {}): Promise<AuthorityBody> {
    const { id } = await this.create({ type: 'intermediate', ...wish })
    expectOk(await this.generate(id, { parentCaId, ...term }))
    return expectOk(await this.#server.get(`${CA}/${id}`, { token: this.#token })).body as AuthorityBody
  }

  async certificate(caId: string): Promise<CertificateBody> {
    return expectOk(await this.#server.get(`${CA}/${caId}/certificate`)).body as CertificateBody
  }
}

export type AuthorityBody = {
  id: string
  name: string
  status: string
  projectId: string
  configuration: Record<string, unknown> & { dn: string; activeCaCertId: string | null; serialNumber: string | null }
}
export type CertificateBody = { certificate: string; certificateChain: string; serialNumber: string; certId: string }

const expectOk = (answer: Answer): Answer => {
  if (answer.status !== 200) throw new Error(`answered ${answer.status}: ${answer.text}`)
  return answer
}
