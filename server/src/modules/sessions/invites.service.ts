import { createHash, randomBytes } from 'node:crypto'
import { badRequest } from '../../lib/app-error.ts'
import { isUuid } from '../../lib/uuid.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database, Tx } from '../../platform/db/db.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { Membership, OrganizationService, RoleGrant } from '../organizations/organizations.service.ts'
import { requireMayGrant } from '../organizations/power.ts'
import type { Actor } from '../permissions/actor.ts'
import type { PermissionService } from '../permissions/permissions.service.ts'
import type { User, UserService } from '../users/users.service.ts'
import * as store from './invites.store.ts'
import type { UserTokens } from './user-tokens.ts'

type Deps = {
  db: Database
  permissions: PermissionService
  organizations: OrganizationService
  users: UserService
  tokens: UserTokens
  audit: AuditLog
  clock: Clock
  /** Where people reach the console. */
  siteUrl: string
}
type Invitation = {
  emails: readonly string[]
  organizationId: string
  roleSlug: string
  projectIds: readonly string[]
}
type Shown = { email: string; organizationId: string; code: string }
export type InviteLink = { email: string; link: string }

const CODE_BYTES = 32
const VALID_MS = 7 * 24 * 3_600_000
const PURGE_BATCH_MAX = 10_000

/** Invitations to an organization. There is no mail, so whoever invites is given the link to pass on. */
export class InviteService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Those who are members already are left alone. */
  async invite(actor: Actor, { emails, organizationId, roleSlug, projectIds }: Invitation): Promise<InviteLink[]> {
    if (projectIds.length > 0) throw badRequest('Invite to the organization first, then add to the projects')
    const ability = await this.#deps.permissions.inOrganization(actor, organizationId)
    await ability.require('create', 'member')
    const addresses = [...new Set(emails.map((email) => email.toLowerCase()))].sort()

    return this.#deps.db.transaction(async (tx) => {
      const granted = await this.#deps.organizations.resolveRole(tx, organizationId, roleSlug)
      requireMayGrant(ability.present.activeRules(), roleSlug, granted.rules)
      const links: InviteLink[] = []
      for (const email of addresses) {
        const user = await this.#findOrCreate(tx, email)
        const membership = await this.#findOrAdd(tx, user, { organizationId, granted })
        if (membership.status === 'accepted') continue
        links.push({ email, link: await this.#link(tx, membership, email) })
        await this.#deps.audit.record(tx, actor, {
          type: 'invite-org-member',
          organizationId,
          metadata: { membershipId: membership.id, userId: user.id, email, role: roleSlug },
        })
      }
      return links
    })
  }

  /** Who shows a code is in, if the account is there; otherwise the answer is a token to complete one with. */
  async verify({ email, organizationId, code }: Shown): Promise<{ organizationName: string; signUpToken?: string }> {
    const { user, membership, organizationName } = await this.#deps.db.transaction(async (tx) => {
      const shown = await this.#findShown(tx, { email, organizationId })
      const invite = shown && (await store.take(tx, shown.membership.id, hashOf(code)))
      if (!invite || invite.expiresAt.getTime() <= this.#deps.clock.now()) throw notGood()
      if (shown.user.isAccepted) {
        const member = { organizationId, userId: shown.user.id }
        await this.#deps.organizations.updateMember(tx, member, { status: 'accepted' })
      }
      return shown
    })
    if (user.isAccepted) return { organizationName }
    const signUpToken = await this.#deps.tokens.signUp({ userId: user.id, membershipId: membership.id })
    return { organizationName, signUpToken }
  }

  /** Forgets invitations that have expired. A job. */
  async purge(): Promise<void> {
    const now = new Date(this.#deps.clock.now())
    while ((await store.deleteExpired(this.#deps.db.pool, now, PURGE_BATCH_MAX)) === PURGE_BATCH_MAX);
  }

  async #findShown(tx: Tx, { email, organizationId }: Omit<Shown, 'code'>) {
    const { users, organizations } = this.#deps
    const organization = isUuid(organizationId) ? await organizations.find(tx, organizationId) : undefined
    const user = await users.find(tx, email)
    if (!organization || !user) return undefined
    const membership = await organizations.findMember(tx, { organizationId, userId: user.id })
    return membership && { user, membership, organizationName: organization.name }
  }

  async #findOrCreate(tx: Tx, email: string): Promise<User> {
    const { users } = this.#deps
    const user =
      (await users.find(tx, email)) ??
      (await users.create(tx, { email, isAccepted: false, isInstanceAdmin: false })) ??
      (await users.find(tx, email))
    if (!user) throw new Error('A user was neither found nor created')
    return user
  }

  /** An invitation that is made again counts with its new role. */
  async #findOrAdd(
    tx: Tx,
    { id: userId, email }: User,
    { organizationId, granted }: { organizationId: string; granted: RoleGrant },
  ): Promise<Membership> {
    const { organizations, clock } = this.#deps
    const member = { organizationId, userId }
    const lastInvitedAt = new Date(clock.now())
    const membership = await organizations.findMember(tx, member)
    if (!membership) {
      const invited = { status: 'invited', inviteEmail: email, lastInvitedAt, roles: [granted] } as const
      return organizations.addMember(tx, { ...member, ...invited })
    }
    if (membership.status === 'accepted') return membership
    await organizations.setRoles(tx, member, [granted])
    return organizations.updateMember(tx, member, { lastInvitedAt })
  }

  /** The code stands behind the `#`, which no browser sends to any server. */
  async #link(tx: Tx, { id: membershipId, organizationId }: Membership, email: string): Promise<string> {
    const code = randomBytes(CODE_BYTES).toString('base64url')
    const expiresAt = new Date(this.#deps.clock.now() + VALID_MS)
    await store.put(tx, { membershipId, codeHash: hashOf(code), expiresAt })
    const query = new URLSearchParams({ token: code, to: email, organization_id: organizationId })
    return `${this.#deps.siteUrl}/signupinvite#${query.toString()}`
  }
}

/** It has 256 random bits of its own, so that a plain digest keeps it as well as any. */
const hashOf = (code: string): Buffer => createHash('sha256').update(code).digest()

const notGood = () => badRequest('The invitation is not valid, has been used or has expired: ask for a new one')
