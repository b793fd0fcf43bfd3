import type { ChangeFeed } from './feed.ts'
import { Load, type Loader } from './load.ts'
import { TaggedEntries } from './tagged-entries.ts'

/** Someone who comes later than this does not wait for an answer that may be older than what is promised. */
const JOINABLE_MS_MAX = 1_000

type Running<V> = { load: Load<V>; answer: Promise<V | undefined> }
type Request<V> = { key: string; tags: readonly string[]; load: Loader<V> }

/**
 * Values that the feed keeps from growing old. Absence is not kept, and neither is an answer that a change named while
 * its query ran; that one serves those who were waiting. A key always stands for the same question.
 */
export class TrustedCache<V> {
  readonly #feed: Pick<ChangeFeed, 'isTrusted' | 'follow'>
  readonly #entries: TaggedEntries<V>
  readonly #running = new Map<string, Running<V>>()
  #loads = 0

  /** `weigh` says what a value counts for against `weightMax`; without it, each counts for one. */
  constructor(feed: Pick<ChangeFeed, 'isTrusted' | 'follow'>, weightMax: number, weigh?: (value: V) => number) {
    this.#feed = feed
    this.#entries = new TaggedEntries(weightMax, weigh)
    feed.follow({
      takeAway: (changes) => {
        for (const { scope } of changes) this.#invalidate(scope)
      },
      reset: () => this.#clear(),
    })
  }

  /** What is kept, if it may be used now. */
  peek(key: string): V | undefined {
    return this.#feed.isTrusted() ? this.#entries.get(key) : undefined
  }

  /** What is kept, or else the answer of `load`, whose query must begin no earlier than it is called. */
  get(key: string, tags: readonly string[], load: Loader<V>): Promise<V | undefined> {
    const kept = this.peek(key)
    if (kept !== undefined) return Promise.resolve(kept)

    const request = { key, tags, load }
    const last = this.#loads
    const running = this.#running.get(key)
    if (!running || !isJoinable(running.load)) return this.#loadAfter(last, request)
    // What was created after that query began must be found, so its absence is asked for again.
    return running.answer.then((value) => (value === undefined ? this.#loadAfter(last, request) : value))
  }

  /** The answer of a query that begins after this call: for when what was kept has led to a refusal. */
  reload(key: string, tags: readonly string[], load: Loader<V>): Promise<V | undefined> {
    return this.#loadAfter(this.#loads, { key, tags, load })
  }

  get size(): number {
    return this.#entries.size
  }

  /** One query at a time for a key: whoever cannot use the running one shares the next. */
  #loadAfter(number: number, request: Request<V>): Promise<V | undefined> {
    const running = this.#running.get(request.key)
    if (!running) return this.#begin(request)
    if (running.load.number > number) return running.answer
    running.load.following ??= running.answer
      .catch(() => undefined)
      .then(() => this.#running.get(request.key)?.answer ?? this.#begin(request))
    return running.load.following
  }

  #begin(request: Request<V>): Promise<V | undefined> {
    const load = new Load<V>(++this.#loads, request.tags)
    const running: Running<V> = { load, answer: Promise.resolve(undefined) }
    this.#running.set(request.key, running)
    running.answer = this.#run(load, request)
    return running.answer
  }

  async #run(load: Load<V>, { key, load: ask }: Request<V>): Promise<V | undefined> {
    try {
      const value = await ask((...tags) => load.alsoTag(tags))
      if (value === undefined || load.isStale) this.#entries.delete(key)
      else this.#entries.set(key, value, load.tags)
      return value
    } finally {
      this.#running.delete(key)
    }
  }

  #invalidate(scope: string): void {
    this.#entries.deleteTagged(scope)
    for (const { load } of this.#running.values()) load.hear(scope)
  }

  #clear(): void {
    this.#entries.clear()
    for (const { load } of this.#running.values()) load.spoil()
  }
}

const isJoinable = (load: Load<unknown>): boolean => !load.isStale && performance.now() - load.beganAt < JOINABLE_MS_MAX
