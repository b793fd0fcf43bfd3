import { forbidden, unauthenticated } from './lib/app-error.ts'
import type { Actor } from './modules/permissions/actor.ts'
import type { ActorKind } from './modules/permissions/vocabulary.ts'
import type { Clock } from './platform/clock.ts'
import type { TokenClaims, TokenSigner } from './platform/crypto/token.ts'
import { type Authenticate, bearerToken } from './platform/http/authentication.ts'

type Verifier = { authenticate(claims: TokenClaims, origin: Actor['origin']): Promise<Actor> }

type Deps = { signer: TokenSigner; clock: Clock; verifiers: Partial<Record<string, Verifier>> }

/** Whoever the bearer token stands for, if the route lets that kind of caller in. */
export const authentication =
  ({ signer, clock, verifiers }: Deps): Authenticate =>
  async (request, allowed) => {
    const { headers, origin } = request
    const claims = await signer.verify(bearerToken(headers.authorization), clock.now())
    const verifier = verifiers[String(claims['authTokenType'])]
    // wire: to clients, a refresh or sign-up token here is as good as none.
    if (!verifier) throw unauthenticated('Token missing')

    const actor = await verifier.authenticate(claims, origin)
    // A refusal of its kind is recorded under its name.
    request.actor = actor
    requireKind(kindOf(actor), allowed)
    return actor
  }

const kindOf = (actor: Actor): ActorKind =>
  actor.type === 'user' && actor.organizationId === undefined ? 'user-without-organization' : actor.type

const requireKind = (kind: ActorKind, allowed: readonly ActorKind[]): void => {
  if (allowed.includes(kind)) return
  if (kind === 'user-without-organization' && allowed.includes('user')) {
    throw unauthenticated('Select an organization first: the token is not scoped to one')
  }
  throw forbidden('This kind of token is not accepted here')
}
