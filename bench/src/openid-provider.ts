import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'

const KEY_ID = 'bench'
const LIFETIME_SECONDS = 3_600

/** As much of an OpenID provider as machines need to log in: its keys, and tokens that they sign. */
export class OpenIdProvider {
  readonly issuer: string
  readonly #key: KeyObject

  private constructor(issuer: string, key: KeyObject) {
    this.issuer = issuer
    this.#key = key
  }

  /** On loopback, until this process ends. */
  static async start(): Promise<OpenIdProvider> {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
    const documents: Record<string, object> = {
      '/jwks': { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: KEY_ID, use: 'sig', alg: 'RS256' }] },
    }
    const server = createServer((request, response) => {
      const document = documents[request.url ?? '']
      response
        .writeHead(document ? 200 : 404, { 'content-type': 'application/json' })
        .end(JSON.stringify(document ?? {}))
    })
    server.listen(0, '127.0.0.1').unref()
    await once(server, 'listening')
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    const issuer = `http://127.0.0.1:${address.port}`
    documents['/.well-known/openid-configuration'] = { issuer, jwks_uri: `${issuer}/jwks` }
    return new OpenIdProvider(issuer, privateKey)
  }

  token(subject: string, audience: string): string {
    const now = Math.floor(Date.now() / 1_000)
    const claims = { iss: this.issuer, sub: subject, aud: audience, iat: now, exp: now + LIFETIME_SECONDS }
    const signed = [{ alg: 'RS256', typ: 'JWT', kid: KEY_ID }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    return `${signed}.${createSign('RSA-SHA256').update(signed).sign(this.#key, 'base64url')}`
  }
}
