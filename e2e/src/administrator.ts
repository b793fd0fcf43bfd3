/** Sets up what a case needs through the same interface that its client uses. */
export class Administrator {
  readonly #url: string
  readonly token: string
  readonly organizationId: string

  private constructor(url: string, token: string, organizationId: string) {
    this.#url = url
    this.token = token
    this.organizationId = organizationId
  }

  static async bootstrap(url: string): Promise<Administrator> {
    const { identity, organization } = await call(url, 'POST', '/api/v1/admin/bootstrap', {
      body: { email: 'admin@example.com', password: 'a long passphrase 1', organization: 'Acme' },
    })
    return new Administrator(url, identity.credentials.token, organization.id)
  }

  /** The same administrator of a server that has been started again. */
  at(url: string): Administrator {
    return new Administrator(url, this.token, this.organizationId)
  }

  /** A machine identity that can log in with a client id and secret. */
  async createLogin(settings: object = {}): Promise<{ identityId: string; clientId: string; clientSecret: string }> {
    const { identity } = await this.post('/api/v1/identities', {
      name: 'e2e',
      organizationId: this.organizationId,
      role: 'member',
    })
    const path = `/api/v1/auth/universal-auth/identities/${identity.id}`
    const { identityUniversalAuth } = await this.post(path, settings)
    const { clientSecret } = await this.post(`${path}/client-secrets`, {})
    return { identityId: identity.id, clientId: identityUniversalAuth.clientId, clientSecret }
  }

  makeAdmin(identityId: string) {
    return call(this.#url, 'PATCH', `/api/v1/identities/${identityId}`, { body: { role: 'admin' }, token: this.token })
  }

  post(path: string, body: object) {
    return call(this.#url, 'POST', path, { body, token: this.token })
  }
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- whatever the wire sends, a case may look at
type Answer = any

export const call = async (
  url: string,
  method: string,
  path: string,
  { body, token }: { body?: object; token?: string } = {},
): Promise<Answer> => {
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
  return JSON.parse(text)
}
