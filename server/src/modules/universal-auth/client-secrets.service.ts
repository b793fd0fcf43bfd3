import type { Logger } from 'pino'
import { badRequest, notFound } from '../../lib/app-error.ts'
import { isUuid, newId } from '../../lib/uuid.ts'
import type { ChangeFeed } from '../../platform/changes/feed.ts'
import type { Clock } from '../../platform/clock.ts'
import { about } from '../access-tokens/audit-subject.ts'
import type { MethodAccess } from '../access-tokens/method-access.service.ts'
import { UsageRecorder } from '../access-tokens/usage-recorder.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { Actor } from '../permissions/actor.ts'
import { ClientSecretCodes, type CodesDeps, newClientSecret } from './client-secret-codes.ts'
import type { NewClientSecret } from './client-secrets.schemas.ts'
import * as store from './client-secrets.store.ts'
import { findByIdentity, lockByIdentity } from './universal-auth.store.ts'

type Deps = CodesDeps & {
  access: MethodAccess
  audit: AuditLog
  changes: ChangeFeed
  clock: Clock
  log: Logger
}

/** Of one identity. All of them are listed; of those that can no longer be used, which nothing bounds, the newest. */
const USABLE_MAX = 1_000
const LISTED_UNUSABLE_MAX = 1_000
const PREFIX_CHARACTERS = 4

/** The client secrets of machine identities: shown once when they are made, known by their code afterwards. */
export class ClientSecretService {
  readonly #deps: Deps
  readonly #codes: ClientSecretCodes
  readonly #uses: UsageRecorder

  constructor(deps: Deps) {
    this.#deps = deps
    this.#codes = new ClientSecretCodes(deps)
    this.#uses = new UsageRecorder({ write: (uses) => store.addUses(deps.db.pool, uses), log: deps.log })
  }

  async create(
    actor: Actor,
    identityId: string,
    { description, numUsesLimit, ttlSeconds }: NewClientSecret,
  ): Promise<{ text: string; secret: store.ClientSecret }> {
    const identity = await this.#deps.access.require(actor, identityId, 'create client secret')
    const config = await findByIdentity(this.#deps.db.pool, identity.id)
    if (!config) throw withoutMethod()
    const text = newClientSecret()
    const code = await this.codeOf(config.clientId, text)

    const secret = await this.#deps.db.transaction(async (tx) => {
      if ((await lockByIdentity(tx, identity.id))?.id !== config.id) throw withoutMethod()
      const now = new Date(this.#deps.clock.now())
      if ((await store.countUsable(tx, config.id, now)) >= USABLE_MAX) {
        throw badRequest(`An identity can have ${USABLE_MAX} usable client secrets, please revoke some`)
      }
      const created = await store.insert(tx, {
        ...{ id: newId(), configId: config.id, code, prefix: text.slice(0, PREFIX_CHARACTERS) },
        ...{ description, numUsesLimit, ttlSeconds, createdAt: now, updatedAt: now },
      })
      const event = about(identity, { clientSecretId: created.id })
      await this.#deps.audit.record(tx, actor, { type: 'create-identity-universal-auth-client-secret', ...event })
      return created
    })
    return { text, secret }
  }

  async list(actor: Actor, identityId: string): Promise<store.ClientSecret[]> {
    const identity = await this.#deps.access.require(actor, identityId, 'read client secrets')
    const config = await findByIdentity(this.#deps.db.pool, identity.id)
    if (!config) throw notAttached()
    const now = new Date(this.#deps.clock.now())
    const secrets = await store.list(this.#deps.db.pool, config.id, { now, limit: LISTED_UNUSABLE_MAX })
    await this.#deps.audit.note(actor, { type: 'get-identity-universal-auth-client-secret', ...about(identity) })
    return secrets
  }

  async get(actor: Actor, identityId: string, id: string): Promise<store.ClientSecret> {
    const identity = await this.#deps.access.require(actor, identityId, 'read client secrets')
    const config = await findByIdentity(this.#deps.db.pool, identity.id)
    if (!config) throw notAttached()
    const secret = isUuid(id) ? await store.find(this.#deps.db.pool, config.id, id) : undefined
    if (!secret) throw noSuchSecret(id)
    const event = about(identity, { clientSecretId: secret.id })
    await this.#deps.audit.note(actor, { type: 'get-identity-universal-auth-client-secret-by-id', ...event })
    return secret
  }

  /** Also ends the access tokens that were given for it. Doing so again changes nothing. */
  async revoke(actor: Actor, identityId: string, id: string): Promise<store.ClientSecret> {
    const identity = await this.#deps.access.require(actor, identityId, 'revoke client secret')

    return this.#deps.db.transaction(async (tx) => {
      const config = await findByIdentity(tx, identity.id)
      if (!config) throw withoutMethod()
      const secret = isUuid(id) ? await store.revoke(tx, config.id, id) : undefined
      if (!secret) throw noSuchSecret(id)
      await this.#deps.changes.append(tx, { scope: `client-secret:${secret.id}`, kind: 'client-secret-revoked' })
      const event = about(identity, { clientSecretId: secret.id })
      await this.#deps.audit.record(tx, actor, { type: 'revoke-identity-universal-auth-client-secret', ...event })
      return secret
    })
  }

  /** What is stored of a secret, and looked for when it is presented. Not inside a transaction. */
  codeOf(clientId: string, secret: string): Promise<Buffer> {
    return this.#codes.codeOf(clientId, secret)
  }

  /** Counts a login with a secret that may be used any number of times: soon, and not exactly now. */
  noteUse(id: string): void {
    this.#uses.note(id, this.#deps.clock.now())
  }

  /** Writes what has been counted and not written yet. */
  close(): Promise<void> {
    return this.#uses.close()
  }
}

const noSuchSecret = (id: string) => notFound(`Client secret with id '${id}' not found`)
const notAttached = () => notFound('The identity does not have universal auth')
const withoutMethod = () => badRequest('The identity does not have universal auth')
