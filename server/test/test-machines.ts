import type { Answer, TestServer } from './test-server.ts'

export const UNIVERSAL_AUTH = '/api/v1/auth/universal-auth'
export const TOKEN_AUTH = '/api/v1/auth/token-auth'
/** Answers any identity whose token is good, and nothing else. */
export const WHO_AM_I = '/api/v1/identities/details'

type Admin = { token: string; organizationId: string }
type Rule = { subject: string; action: string[] }

export type Machine = { id: string; clientId: string; clientSecretId: string; clientSecret: string }

/** Makes machine identities, gives them rights and ways to log in. */
export class TestMachines {
  readonly #server: TestServer
  readonly #admin: Admin
  #made = 0

  constructor(server: TestServer, admin: Admin) {
    this.#server = server
    this.#admin = admin
  }

  /** The id of a new identity with an organization role. */
  async identity(role = 'no-access'): Promise<string> {
    const body = { name: `machine ${++this.#made}`, organizationId: this.#admin.organizationId, role }
    return (await this.#post('/api/v1/identities', body)).body.identity.id as string
  }

  /** An identity that can log in, with these settings of universal auth and of its client secret. */
  async withSecret(settings: object = {}, secret: object = {}, role?: string): Promise<Machine> {
    const id = await this.identity(role)
    const attached = await this.#post(`${UNIVERSAL_AUTH}/identities/${id}`, settings)
    const created = await this.#post(`${UNIVERSAL_AUTH}/identities/${id}/client-secrets`, secret)
    return {
      id,
      clientId: attached.body.identityUniversalAuth.clientId as string,
      clientSecretId: created.body.clientSecretData.id as string,
      clientSecret: created.body.clientSecret as string,
    }
  }

  login({ clientId, clientSecret }: Pick<Machine, 'clientId' | 'clientSecret'>, ip?: string): Promise<Answer> {
    return this.#server.post(`${UNIVERSAL_AUTH}/login`, { clientId, clientSecret }, ip === undefined ? {} : { ip })
  }

  /** A token of a machine that has just logged in. */
  async tokenOf(machine: Machine): Promise<string> {
    return expect200(await this.login(machine)).body.accessToken as string
  }

  /** A token of a new identity with an organization role. */
  async tokenWith(role: string): Promise<string> {
    return this.tokenOf(await this.withSecret({}, {}, role))
  }

  /** A token of a new identity that may do just this in the organization. */
  async tokenAllowing(...permissions: Rule[]): Promise<string> {
    const slug = `role-${++this.#made}`
    await this.#post('/api/v1/organization/roles', { name: slug, slug, permissions })
    return this.tokenWith(slug)
  }

  async #post(path: string, body: object): Promise<Answer> {
    return expect200(await this.#server.post(path, body, { token: this.#admin.token }))
  }
}

export const expect200 = (answer: Answer): Answer => {
  if (answer.status !== 200) throw new Error(`answered ${answer.status}: ${answer.text}`)
  return answer
}

/** What a token says, without asking whether it is genuine. */
export const claimsIn = (token: string): Claims =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Claims

type Claims = {
  iat: number
  exp: number
  jti: string
  identityAccessTokenId: string
  identityName: string
  authMethod: string
  clientSecretId: string
  creationEpoch: number
  accessTokenTTL: number
  accessTokenMaxTTL: number
  ipRestrictionEnabled: boolean
  numUsesLimit?: number
}

/** The rest of a record, to be compared when some of it cannot be foreseen. */
export const without = (record: object, ...names: string[]): object =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)))
