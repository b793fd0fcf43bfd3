import type { Read, ReadChange } from './read.ts'

export type ResetReason =
  /** What happened before is not known. */
  | 'started'
  /** Changes were pruned before they were read, or are too many to be read. */
  | 'fell-behind'
  /** Another database, a failover, a restore: what was read may never have happened. */
  | 'history-changed'
  /** This follower threw, and may have missed something. */
  | 'follower-failed'

export type Step = { news: readonly ReadChange[] } | { reset: ResetReason }

/** What a session says of the server behind it. */
export type History = { identity: string; durableAfterMs: number }

type Seen = Map<ReadChange['seq'], ReadChange['origin']>

/**
 * How far the feed has come. Within a session each read goes on from the snapshot of the one before, which is exact. A
 * new session may mean that PostgreSQL has crashed and gives out again some xids that our last snapshots took for
 * finished. So it goes on from a snapshot old enough to be on disk, and leaves out what it remembers to have seen since.
 * All of that must be found again: a row that is gone (its commit did not wait for the disk) told of what never was.
 */
export class Position {
  #history: History | undefined
  #incarnation: string | null = null
  #startReason: ResetReason = 'started'
  #next: string | undefined
  #isResuming = false
  /** Survives a crash; seen since then: what was new in the reads after it. */
  #durable: string | undefined
  #seenSinceDurable: Seen = new Map()
  /** Becomes the durable one once it is old enough. */
  #candidate: string | undefined
  #candidateTakenByMs = 0
  #seenSinceCandidate: Seen = new Map()

  /** The snapshot that the next read goes on from; none when it starts anew. */
  get next(): string | undefined {
    return this.#next
  }

  beginSession(history: History): void {
    const isOther = this.#history !== undefined && this.#history.identity !== history.identity
    this.#history = history
    this.#startReason = isOther ? 'history-changed' : 'started'
    this.#next = isOther ? undefined : this.#durable
    this.#isResuming = this.#next !== undefined
  }

  /** What a read that has come in at `atMs` brings: changes never given before, or the loss of the thread. */
  take(read: Read, atMs: number): Step {
    const reset = this.#breakIn(read)
    if (reset) {
      this.#startFrom(read, atMs)
      return { reset }
    }
    const news = read.changes.filter((change) => !this.#hasSeen(change))
    for (const { seq, origin } of news) this.#seenSinceCandidate.set(seq, origin)
    this.#next = read.snapshot
    if (this.#isResuming) this.#completeResumption(read, atMs)
    else if (atMs - this.#candidateTakenByMs >= this.#durableAfterMs) this.#promoteCandidate(read, atMs)
    return { news }
  }

  #breakIn(read: Read): ResetReason | undefined {
    if (this.#next === undefined) return this.#startReason
    if (read.wentBack || read.incarnation !== this.#incarnation) return 'history-changed'
    if (read.isBehind || read.isTooMuch) return 'fell-behind'
    if (this.#isResuming && !this.#findsAllAgain(read)) return 'history-changed'
    return undefined
  }

  #findsAllAgain({ changes }: Read): boolean {
    const found = changes.filter((change) => this.#hasSeen(change)).length
    return found === this.#seenSinceDurable.size + this.#seenSinceCandidate.size
  }

  #hasSeen({ seq, origin }: ReadChange): boolean {
    return this.#seenSinceDurable.get(seq) === origin || this.#seenSinceCandidate.get(seq) === origin
  }

  get #durableAfterMs(): number {
    return this.#history?.durableAfterMs ?? Infinity
  }

  #startFrom({ snapshot, incarnation }: Read, atMs: number): void {
    this.#incarnation = incarnation
    this.#next = snapshot
    this.#isResuming = false
    this.#durable = undefined
    this.#seenSinceDurable = new Map()
    this.#setCandidate(snapshot, atMs)
  }

  /** The candidate is of before the crash, if there was one, and not proven to be on disk: it must not stay. */
  #completeResumption({ snapshot }: Read, atMs: number): void {
    for (const [seq, origin] of this.#seenSinceCandidate) this.#seenSinceDurable.set(seq, origin)
    this.#setCandidate(snapshot, atMs)
    this.#isResuming = false
  }

  #promoteCandidate({ snapshot }: Read, atMs: number): void {
    this.#durable = this.#candidate
    this.#seenSinceDurable = this.#seenSinceCandidate
    this.#setCandidate(snapshot, atMs)
  }

  #setCandidate(snapshot: string, atMs: number): void {
    this.#candidate = snapshot
    this.#candidateTakenByMs = atMs
    this.#seenSinceCandidate = new Map()
  }
}
