import type { Tx } from '../../platform/db/db.ts'
import type { AuditActor } from '../audit/audit.service.ts'
import type { ListedTokenService } from './listed-tokens.service.ts'
import type { TokenAuthService } from './token-auth.service.ts'

type Deps = { tokenAuth: TokenAuthService; listedTokens: ListedTokenService }
type Identity = { id: string; organizationId: string }

const WITHOUT_LIMITS = {
  tokenTtlSeconds: 0,
  tokenMaxTtlSeconds: 0,
  tokenUsesLimit: 0,
  tokenTrustedIps: ['0.0.0.0/0', '::/0'],
}

/** Token auth for an identity that the installation itself makes, when nobody is there yet who could be permitted. */
export class FirstToken {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async attach(tx: Tx, actor: AuditActor, identity: Identity): Promise<void> {
    const attachment = { identity: { ...identity, projectId: null }, settings: WITHOUT_LIMITS }
    await this.#deps.tokenAuth.attachWithin(tx, actor, attachment)
  }

  async issue(
    tx: Tx,
    actor: AuditActor,
    { identity, name }: { identity: Identity; name: string },
  ): Promise<{ accessToken: string }> {
    const creation = { identity: { ...identity, projectId: null }, name }
    const { issued } = await this.#deps.listedTokens.createWithin(tx, actor, creation)
    return issued
  }
}
