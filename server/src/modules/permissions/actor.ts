import type { TemplateValues } from './templates.ts'

export type Origin = { readonly ip: string; readonly userAgent: string; readonly requestId: string }

/** Who makes a request, once the token has been looked at. */
export type Actor = UserActor | IdentityActor

export type UserActor = {
  readonly type: 'user'
  readonly id: string
  /** Undefined until the session has selected an organization. */
  readonly organizationId?: string | undefined
  readonly sessionId: string
  readonly email: string
  readonly username: string
  readonly authMethod: string
  readonly isInstanceAdmin: boolean
  readonly origin: Origin
}

export type IdentityActor = {
  readonly type: 'identity'
  readonly id: string
  readonly name: string
  readonly organizationId: string
  readonly authMethod: string
  readonly tokenId: string
  readonly isInstanceAdmin: boolean
  /** What the login method learned about the caller, by method: `{ oidc: { claims: { … } } }`. */
  readonly claims: Readonly<Record<string, unknown>>
  readonly metadata?: Readonly<Record<string, string>> | undefined
  readonly origin: Origin
}

/** What `{{identity.…}}` stands for in the rules of this actor. */
export const templateValuesOf = (actor: Actor): TemplateValues =>
  actor.type === 'user'
    ? { id: actor.id, username: actor.username, metadata: {}, auth: {} }
    : { id: actor.id, username: actor.name, metadata: actor.metadata ?? {}, auth: actor.claims }
