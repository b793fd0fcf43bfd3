import type { ProjectAbility } from '../permissions/ability.ts'
import type { Credential } from './credentials.ts'
import type { EventStream } from './event-stream.ts'
import type { ProjectEvent } from './project-event.ts'

/** What the right of a subscriber rests on, as it was found to be. */
export type Verdict = {
  readonly ability: ProjectAbility
  readonly environments: readonly string[]
  /** When it must be asked again at the latest: a token, a licence or a grant ends, or a grant begins. */
  readonly until: number
  /** When it was asked for, by the monotonic clock. */
  readonly askedAt: number
}

/** Beyond this the streams end: nobody waits that long for a few queries. */
const WAITING_BYTES_MAX = 256 * 1_024

/** One credential in one project. All its streams have the same right, which is found out once for all of them. */
export class Subscriber {
  readonly key: string
  readonly projectId: string
  readonly credential: Credential
  readonly scopes: readonly string[]
  readonly streams = new Set<EventStream>()
  /** Requests that are being checked and have no stream yet. */
  pending = 0
  /** Undefined while it is on hold. */
  #verdict: Verdict | undefined
  #doubts = 0
  #waiting: ProjectEvent[] = []
  #waitingBytes = 0

  constructor(credential: Credential, projectId: string) {
    this.key = keyOf(credential, projectId)
    this.projectId = projectId
    this.credential = credential
    this.scopes = [...credential.scopes, `project:${projectId}`]
  }

  get verdict(): Verdict | undefined {
    return this.#verdict
  }

  /** Counts what put the verdict in doubt: one that was asked for before the last doubt is not believed. */
  get doubts(): number {
    return this.#doubts
  }

  get isUsed(): boolean {
    return this.pending > 0 || this.streams.size > 0
  }

  doubt(): void {
    this.#doubts += 1
    this.#verdict = undefined
  }

  /** False when there has been a new doubt since it was asked for. */
  believe(verdict: Verdict, doubts: number): boolean {
    if (doubts !== this.#doubts) return false
    this.#verdict = verdict
    return true
  }

  /** False when too much waits already. */
  keepWaiting(event: ProjectEvent): boolean {
    if (this.streams.size === 0) return true
    this.#waitingBytes += event.bytes
    if (this.#waitingBytes > WAITING_BYTES_MAX) return false
    this.#waiting.push(event)
    return true
  }

  takeWaiting(): ProjectEvent[] {
    const waiting = this.#waiting
    this.#waiting = []
    this.#waitingBytes = 0
    return waiting
  }
}

export const keyOf = (credential: Credential, projectId: string): string => `${projectId} ${credential.key}`
