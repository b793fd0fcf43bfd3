import { tokenRejected } from '../../lib/app-error.ts'
import type { Clock } from '../../platform/clock.ts'
import type { TokenClaims, TokenSigner } from '../../platform/crypto/token.ts'
import { type AccessTokenService, scopesOf as scopesOfToken } from '../access-tokens/access-tokens.service.ts'
import { IDENTITY_TOKEN_TYPE, readClaims } from '../access-tokens/claims.ts'
import type { Actor, Origin } from '../permissions/actor.ts'
import { scopesOf as scopesOfSession, type SessionService } from '../sessions/sessions.service.ts'
import { readAccessClaims } from '../sessions/user-tokens.ts'

type Deps = { signer: TokenSigner; clock: Clock; accessTokens: AccessTokenService; sessions: SessionService }

/** What a stream was opened with, to be asked again for as long as it is open. */
export type Credential = {
  /** Two with the same one are good or bad together. */
  readonly key: string
  /** Changes of these may end it. */
  readonly scopes: readonly string[]
  readonly endsAt: number
  /** Throws once it does not. */
  stillHolds(): Promise<Actor>
}

export class Credentials {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Of a request that has been let in. */
  async read(accessToken: string, origin: Origin): Promise<Credential> {
    const { signer, clock } = this.#deps
    const claims = await signer.verify(accessToken, clock.now())
    const endsAt = claims.exp * 1000
    const { scopes, key, ask } = this.#verifierOf(claims, origin)
    const stillHolds = () => {
      if (clock.now() >= endsAt) return Promise.reject(tokenRejected('The access token has expired'))
      return ask()
    }
    return { key: `${key} ${claims.exp} ${origin.ip}`, scopes, endsAt, stillHolds }
  }

  #verifierOf(claims: TokenClaims, origin: Origin) {
    if (claims['authTokenType'] !== IDENTITY_TOKEN_TYPE) {
      const token = readAccessClaims(claims)
      const key = `${token.tokenVersionId} ${token.accessVersion} ${token.organizationId ?? ''}`
      return { scopes: scopesOfSession(token), key, ask: () => this.#deps.sessions.stillHolds(claims, origin) }
    }
    const token = readClaims(claims)
    // With limited uses it matters which request took the last one.
    const key = token.usesLimit > 0 ? `${token.id} ${origin.requestId}` : token.id
    return { scopes: scopesOfToken(token), key, ask: () => this.#deps.accessTokens.stillHolds(claims, origin) }
  }
}
