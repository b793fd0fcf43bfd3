import type { Actor, Origin } from '../permissions/actor.ts'

/** Whoever sent a request without a credential that could be accepted. */
export type Anonymous = { readonly type: 'anonymous'; readonly origin: Origin }

/** Holdfast itself, in the background. */
export type Platform = { readonly type: 'platform' }

export type AuditActor = Actor | Anonymous | Platform

export type AuditEvent = {
  type: string
  /** Names, ids and numbers; never the value of a secret. */
  metadata: object
  /** Default: the organization of the actor. */
  organizationId?: string | undefined
  projectId?: string | undefined
  /** Default: `success`. */
  result?: 'success' | 'refused' | undefined
}
