import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import http, { type RequestListener, type Server } from 'node:http'
import https from 'node:https'
import { type AddressInfo } from 'node:net'
import { after } from 'node:test'
import { SignJWT } from 'jose'
import { Provider } from 'oidc-provider'

type SigningKey = { kid: string; privateKey: KeyObject; publicKey: KeyObject }

const CLIENT = { client_id: 'pipeline', client_secret: 'x'.repeat(32) }
const FAR_AWAY = 10_000_000_000
export const AUDIENCE = 'https://holdfast.example'
export const SUBJECT = 'repo:acme/shop:ref:refs/heads/main'

const made = new Map<string, SigningKey>()

/** Of all providers of a test file: making one takes long. */
const keyNamed = (kid: string): SigningKey => {
  const key = made.get(kid) ?? { kid, ...generateKeyPairSync('rsa', { modulusLength: 2048 }) }
  made.set(kid, key)
  return key
}

/** A real OpenID provider on loopback that can rotate its keys and be away. Gone when the test file ends. */
export class TestOpenIdProvider {
  readonly #server: Server
  /** The paths that were asked for. */
  readonly requests: string[] = []
  readonly issuer: string
  readonly #port: number
  #answer: RequestListener = () => undefined
  #keys: SigningKey[] = []
  #claims: object = {}

  private constructor(server: Server, protocol: string) {
    this.#server = server
    this.#port = (server.address() as AddressInfo).port
    this.issuer = `${protocol}://127.0.0.1:${this.#port}`
    server.on('request', (request, response) => {
      this.requests.push(request.url ?? '')
      this.#answer(request, response)
    })
  }

  /** With a certificate: over https. */
  static async start(certificate?: { cert: string; key: string }): Promise<TestOpenIdProvider> {
    const server = certificate ? https.createServer(certificate) : http.createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const provider = new TestOpenIdProvider(server, certificate ? 'https' : 'http')
    provider.rotateKeys('first')
    after(() => provider.goAway())
    return provider
  }

  /** The one it signs with. */
  get key(): SigningKey {
    const [key] = this.#keys
    if (!key) throw new Error('The provider has a key from the start')
    return key
  }

  /** How often its keys were fetched. */
  get keyFetches(): number {
    return this.requests.filter((path) => path === '/jwks').length
  }

  rotateKeys(kid: string, { keepOld = false } = {}): void {
    this.#keys = [keyNamed(kid), ...(keepOld ? this.#keys : [])]
    this.#answer = new Provider(this.issuer, this.#configuration()).callback()
  }

  /** A JWT that the provider gives a client, with these claims beside or in place of its own. */
  async token(claims: object = {}): Promise<string> {
    this.#claims = claims
    const response = await fetch(`${this.issuer}/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'client_credentials', ...CLIENT }),
    })
    const { access_token: token } = (await response.json()) as { access_token?: string }
    if (token === undefined) throw new Error(`The provider answered ${response.status}`)
    return token
  }

  /** The same for as long as one likes, and without asking the provider. */
  sign(claims: object = {}, kid = this.key.kid): Promise<string> {
    const { privateKey } = this.#keys.find((key) => key.kid === kid) ?? this.key
    return new SignJWT({ iss: this.issuer, sub: SUBJECT, aud: AUDIENCE, exp: FAR_AWAY, ...claims })
      .setProtectedHeader({ alg: 'RS256', kid })
      .sign(privateKey)
  }

  async goAway(): Promise<void> {
    if (!this.#server.listening) return
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async comeBack(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve))
  }

  #configuration(): object {
    const jwks = {
      keys: this.#keys.map(({ kid, privateKey }) => ({
        ...privateKey.export({ format: 'jwk' }),
        kid,
        use: 'sig',
        alg: 'RS256',
      })),
    }
    const resource = { scope: '', audience: AUDIENCE, accessTokenFormat: 'jwt', accessTokenTTL: 600 }
    return {
      jwks,
      clients: [{ ...CLIENT, grant_types: ['client_credentials'], redirect_uris: [], response_types: [] }],
      ttl: { ClientCredentials: 600 },
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => AUDIENCE,
          getResourceServerInfo: () => resource,
          useGrantedResource: () => true,
        },
      },
      formats: {
        customizers: {
          jwt: (_context: unknown, _token: unknown, jwt: { payload: object }) => {
            Object.assign(jwt.payload, { sub: SUBJECT }, this.#claims)
          },
        },
      },
    }
  }
}
