import { badRequest } from '../../lib/app-error.ts'
import type { ChangeFeed } from '../../platform/changes/feed.ts'
import type { Database, Tx } from '../../platform/db/db.ts'
import type { Anonymous, AuditLog } from '../audit/audit.service.ts'
import type { Organization, OrganizationService } from '../organizations/organizations.service.ts'
import type { Origin } from '../permissions/actor.ts'
import { EMAIL_METHOD } from '../sessions/login.service.ts'
import type { SessionService, SessionTokens } from '../sessions/sessions.service.ts'
import type { PasswordHasher } from '../users/password-hasher.ts'
import type { User, UserService } from '../users/users.service.ts'
import { SCOPE } from './instance.service.ts'
import * as store from './instance.store.ts'

type Identity = { id: string; name: string; organizationId: string }
type IdentityCreator = {
  insert(
    tx: Tx,
    actor: Anonymous,
    identity: {
      name: string
      organizationId: string
      role: string
      hasDeleteProtection: boolean
      isInstanceAdmin: boolean
    },
  ): Promise<Identity>
}
type TokenIssuer = {
  attach(tx: Tx, actor: Anonymous, identity: Identity): Promise<unknown>
  issue(tx: Tx, actor: Anonymous, token: { identity: Identity; name: string }): Promise<{ accessToken: string }>
}

type Deps = {
  db: Database
  users: UserService
  organizations: OrganizationService
  identities: IdentityCreator
  tokenAuth: TokenIssuer
  sessions: SessionService
  hasher: PasswordHasher
  audit: AuditLog
  changes: ChangeFeed
}

type Person = { email: string; firstName: string; lastName?: string | undefined }
type Owner = { user: User; organization: Organization }

/** The first call to a new installation: it makes the caller the administrator of everything, once. */
export class FirstRunService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** For programs: also makes a machine identity that may do everything, and its token. */
  async bootstrap(
    { email, password, organizationName }: { email: string; password: string; organizationName: string },
    origin: Origin,
  ): Promise<Owner & { identity: Identity; token: string }> {
    const person = { email, firstName: 'Admin', lastName: 'User' }
    const passwordHash = await this.#hash(password)
    return this.#deps.db.transaction(async (tx) => {
      const anonymous: Anonymous = { type: 'anonymous', origin }
      const names = { organizationName, refusal: 'Instance initialization' }
      const owner = await this.#create(tx, { ...person, passwordHash }, names)
      const { identity, token } = await this.#createIdentity(tx, anonymous, owner.organization.id)
      await this.#record(tx, anonymous, 'bootstrap-instance', { ...owner, identityId: identity.id })
      return { ...owner, identity, token }
    })
  }

  /** For people: also logs them in. */
  async signUp(
    { password, organizationName, ...person }: Person & { password: string; organizationName: string },
    origin: Origin,
  ): Promise<Owner & SessionTokens> {
    const passwordHash = await this.#hash(password)
    const { session, ...owner } = await this.#deps.db.transaction(async (tx) => {
      const names = { organizationName, refusal: 'Admin sign up' }
      const made = await this.#create(tx, { ...person, passwordHash }, names)
      await this.#record(tx, { type: 'anonymous', origin }, 'instance-admin-signup', made)
      const device = { userId: made.user.id, authMethod: EMAIL_METHOD, origin }
      return { ...made, session: await this.#deps.sessions.open(tx, device) }
    })
    return { ...owner, ...(await this.#deps.sessions.tokensOf(session)) }
  }

  /** Before the transaction, since it takes long; and only where it can still be of use, since anyone can ask for it. */
  async #hash(password: string): Promise<string> {
    if ((await store.get(this.#deps.db.pool)).isInitialized) throw alreadyDone()
    return this.#deps.hasher.hash(password)
  }

  /** Of several at the same time one goes through: the others wait for it here and find that it is done. */
  async #create(
    tx: Tx,
    person: Person & { passwordHash: string },
    { organizationName: name, refusal }: { organizationName: string; refusal: string },
  ): Promise<Owner> {
    if (!(await store.initialize(tx))) throw alreadyDone()
    await this.#deps.changes.append(tx, { scope: SCOPE, kind: 'instance-settings-changed' })
    const user = await this.#deps.users.create(tx, { ...person, isAccepted: true, isInstanceAdmin: true })
    if (!user) throw badRequest(`There is a user '${person.email}' already`, { code: refusal })
    const organization = await this.#deps.organizations.createWithAdmin(tx, { name, userId: user.id })
    return { user, organization }
  }

  async #createIdentity(tx: Tx, anonymous: Anonymous, organizationId: string) {
    const identity = await this.#deps.identities.insert(tx, anonymous, {
      name: 'Instance Admin Identity',
      organizationId,
      role: 'admin',
      hasDeleteProtection: false,
      isInstanceAdmin: true,
    })
    await this.#deps.tokenAuth.attach(tx, anonymous, identity)
    const { accessToken } = await this.#deps.tokenAuth.issue(tx, anonymous, { identity, name: 'Instance Admin Token' })
    return { identity, token: accessToken }
  }

  #record(
    tx: Tx,
    anonymous: Anonymous,
    type: string,
    { user, organization, identityId }: Owner & { identityId?: string },
  ): Promise<void> {
    const metadata = { userId: user.id, email: user.email, organizationId: organization.id, identityId }
    return this.#deps.audit.record(tx, anonymous, { type, organizationId: organization.id, metadata })
  }
}

const alreadyDone = () => badRequest('The instance has been set up already')
