import type { Answer, Api } from './api.ts'

export type ClientSecret = { clientId: string; clientSecret: string }
export type Credentials = { token: string } | ClientSecret
export type Project = { id: string; slug: string }

type Person = { email: string; password: string }
type Membership = { token: string; organizationId: string; person?: Person }

const UNIVERSAL_AUTH = '/api/v1/auth/universal-auth'

/** The organization in which the cases are set up, and an administrator of it: a machine identity like any other. */
export class Tenant {
  readonly api: Api
  readonly token: string
  readonly organizationId: string
  /** Who made the organization, on a server that was empty. */
  readonly person: Person | undefined
  readonly #made = new Map<string, Promise<unknown>>()

  private constructor(api: Api, { token, organizationId, person }: Membership) {
    this.api = api
    this.token = token
    this.organizationId = organizationId
    this.person = person
  }

  /** On a server that nobody has used yet. */
  static async found(api: Api): Promise<Tenant> {
    const person = { email: 'bench@example.com', password: 'a long passphrase 1' }
    const answer = await api.post('/api/v1/admin/bootstrap', { ...person, organization: 'Bench' })
    const organizationId = answer.text('organization.id')
    const founder = new Tenant(api, { token: answer.text('identity.credentials.token'), organizationId })
    const { clientId, clientSecret } = await founder.createLogin('admin')
    return new Tenant(api, { token: await logIn(api, { clientId, clientSecret }), organizationId, person })
  }

  /** On a server that is in use. The identity must be an administrator of its organization. */
  static async join(api: Api, credentials: Credentials): Promise<Tenant> {
    const token = 'token' in credentials ? credentials.token : await logIn(api, credentials)
    const details = await api.get('/api/v1/identities/details', token)
    return new Tenant(api, { token, organizationId: details.text('identityDetails.organization.id') })
  }

  post(path: string, body: object): Promise<Answer> {
    return this.api.post(path, body, this.token)
  }

  async createIdentity(role = 'member', name = 'bench'): Promise<string> {
    const body = { name, organizationId: this.organizationId, role }
    return (await this.post('/api/v1/identities', body)).text('identity.id')
  }

  /** A machine identity that can log in with a client id and secret. */
  async createLogin(role = 'member'): Promise<ClientSecret & { identityId: string }> {
    const identityId = await this.createIdentity(role)
    const path = `${UNIVERSAL_AUTH}/identities/${identityId}`
    const clientId = (await this.post(path, {})).text('identityUniversalAuth.clientId')
    const clientSecret = (await this.post(`${path}/client-secrets`, {})).text('clientSecret')
    return { identityId, clientId, clientSecret }
  }

  async createProject(): Promise<Project> {
    const answer = await this.post('/api/v1/projects', { projectName: `Bench ${Date.now()}` })
    return { id: answer.text('project.id'), slug: answer.text('project.slug') }
  }

  /** What several cases share is made by the first that needs it. */
  once<T>(name: string, make: () => Promise<T>): Promise<T> {
    const made = this.#made.get(name) ?? make()
    this.#made.set(name, made)
    return made as Promise<T>
  }
}

const logIn = async (api: Api, credentials: ClientSecret): Promise<string> =>
  (await api.post(`${UNIVERSAL_AUTH}/login`, credentials)).text('accessToken')
