import type { Actor as AnyActor } from './actor.ts'

/** A user's token may be without an organization until one is selected; only some routes take such a one. */
export type ActorKind = 'user' | 'user-without-organization' | 'identity'

declare module '../../platform/http/vocabulary.ts' {
  interface Vocabulary {
    actor: AnyActor
    authKind: ActorKind
    rateClass: 'read' | 'write' | 'secrets' | 'auth' | 'identity-creation' | 'project-creation' | 'invite'
  }
}
