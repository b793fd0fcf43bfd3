import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { AppError, unavailable } from '../../lib/app-error.ts'
import type { ChangeFeed } from '../../platform/changes/feed.ts'
import { appendedAtMs, type ReadChange } from '../../platform/changes/read.ts'
import type { Change } from '../../platform/changes/change.ts'
import type { Clock } from '../../platform/clock.ts'
import { SilentPeers } from '../../platform/http/silent-peers.ts'
import { SCOPE as LICENSE_SCOPE } from '../licenses/licenses.service.ts'
import type { Credential } from './credentials.ts'
import { EventStream } from './event-stream.ts'
import type { Judge } from './judge.ts'
import { PingWheel } from './ping-wheel.ts'
import { newsOf, type ProjectEvent, projectEventOf } from './project-event.ts'
import type { Subscriber, Verdict } from './subscriber.ts'
import { Subscribers } from './subscribers.ts'
import { mayHearOf, type SubscriptionFilter } from './subscription-filter.ts'
import { WorkQueue } from './work-queue.ts'

/** For metrics. */
export type StreamObserver = {
  /** Messages that were written to one stream. */
  sent?: (messages: number) => void
  /** A reader that stayed too far behind was let go. */
  dropped?: () => void
  /** One event has been written to all whose right was known, this long after it was appended by its transaction. */
  delivered?: (seconds: number) => void
}

type Deps = { changes: ChangeFeed; clock: Clock; judge: Judge; log: Logger }
type Opening = { subscriber: Subscriber; filter: SubscriptionFilter; socket: Socket; verdict: Verdict; doubts: number }
type Arrival = { event: ProjectEvent; appendedAt: number }

const TICK_MS = 250
/** Clients are promised one every 15 seconds. */
const PING_EVERY_MS = 14_000
/** How often it is asked whether peers are still there: every ten seconds. */
const SILENCE_TICKS = 40
/** How long a verdict is good while the feed cannot vouch for it. */
const VERDICT_MS_MAX = 1_000
/** Queries of one hold are few, but there may be many holds at once, and requests need connections too. */
const JUDGED_AT_ONCE_MAX = 6
const RETRY_MS = 200
/** For the last words to leave before the connection is reset. */
const LAST_WORDS_MS = 100
/** Clients that lost their streams must not all come back in one moment. */
const CLOSING_MS_MAX = 2_000
const CLOSING_MS_PER_STREAM = 5
const CLOSING_STEP_MS = 20
const CLOSING = 'The server is stopping, please subscribe again'

/** All streams of this process: who may hear what, from the change feed to the sockets. */
export class StreamHub {
  readonly #deps: Deps
  readonly #subscribers = new Subscribers()
  readonly #streams = new PingWheel<EventStream>(PING_EVERY_MS / TICK_MS)
  readonly #judging = new WorkQueue<Subscriber>((subscriber) => this.#judgeAgain(subscriber), JUDGED_AT_ONCE_MAX)
  #ending: EventStream[] = []
  #arrivals: Arrival[] = []
  #lastId = 0
  readonly #silentPeers = new SilentPeers()
  #timer: NodeJS.Timeout | undefined
  #ticks = 0
  #isClosing = false
  observer: StreamObserver = {}

  constructor(deps: Deps) {
    this.#deps = deps
    deps.changes.follow({
      takeAway: (changes) => this.#doubtConcerned(changes),
      deliver: (changes) => this.#collect(changes),
      reset: () => this.#endAll('Changes may have been missed, please subscribe again'),
    })
  }

  get openStreams(): number {
    return this.#streams.size
  }

  /** Hears of what may end the right from now on, so that nothing falls between asking and opening. */
  expect(credential: Credential, projectId: string): Subscriber {
    if (this.#isClosing) throw unavailable('The server is stopping, please try again', { retryAfterSeconds: 1 })
    const subscriber = this.#subscribers.ensure(credential, projectId)
    subscriber.pending += 1
    return subscriber
  }

  /** To be called once for each `expect`, after `open` or instead of it. */
  settle(subscriber: Subscriber): void {
    subscriber.pending -= 1
    this.#subscribers.forgetUnused(subscriber)
  }

  /** `verdict` was asked for when there had been so many doubts; if there have been more since, it is asked for again. */
  open({ subscriber, filter, socket, verdict, doubts }: Opening, onClose: () => void): void {
    const stream = new EventStream(filter, socket, this.#lastId)
    subscriber.streams.add(stream)
    this.#streams.add(stream)
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS).unref()
    stream.onClose(() => {
      this.#remove(stream, subscriber)
      onClose()
    })
    const wasOnHold = !subscriber.verdict
    if (!subscriber.believe(verdict, doubts)) this.#doubt(subscriber)
    else if (wasOnHold) this.#resume(subscriber, verdict)
    if (this.#isClosing) this.#end(stream, CLOSING)
  }

  /** Lets all streams go, not all at once. */
  async close(): Promise<void> {
    this.#isClosing = true
    const streams = [...this.#streams.items()]
    const steps = Math.ceil(Math.min(CLOSING_MS_MAX, streams.length * CLOSING_MS_PER_STREAM) / CLOSING_STEP_MS)
    const perStep = Math.ceil(streams.length / Math.max(1, steps))
    for (let index = 0; index < streams.length; index += perStep) {
      for (const stream of streams.slice(index, index + perStep)) this.#end(stream, CLOSING)
      await sleep(CLOSING_STEP_MS)
    }
    while (this.#streams.size > 0 && this.#ending.length > 0) await sleep(CLOSING_STEP_MS)
    clearInterval(this.#timer)
  }

  #doubtConcerned(changes: readonly Change[]): void {
    for (const { scope } of changes) {
      const concerned = scope === LICENSE_SCOPE ? this.#subscribers.all() : this.#subscribers.concernedBy(scope)
      for (const subscriber of concerned) this.#doubt(subscriber)
    }
  }

  #doubt(subscriber: Subscriber): void {
    subscriber.doubt()
    if (subscriber.streams.size > 0) this.#judging.add(subscriber)
  }

  #collect(changes: readonly ReadChange[]): void {
    for (const change of changes) {
      const news = newsOf(change)
      if (!news || !this.#subscribers.has(news.projectId)) continue
      const event = projectEventOf(news, () => this.#nextId())
      this.#arrivals.push({ event, appendedAt: appendedAtMs(change) })
    }
    // Once the feed has told everyone, and knows itself whether it can be trusted again.
    if (this.#arrivals.length > 0) queueMicrotask(() => this.#deliverArrivals())
  }

  /** Like the time, but never the same twice: every stream of this process sees them grow. */
  #nextId(): number {
    this.#lastId = Math.max(this.#lastId + 1, this.#deps.clock.now())
    return this.#lastId
  }

  #deliverArrivals(): void {
    const arrivals = this.#arrivals
    this.#arrivals = []
    // Several at once leave each stream in one go: the system calls cost more than all else.
    const gathered = arrivals.length > 1 ? this.#streamsConcernedBy(arrivals) : []
    for (const stream of gathered) stream.gather()
    for (const { event } of arrivals) {
      for (const subscriber of this.#subscribers.in(event.projectId)) this.#offer(subscriber, event)
    }
    for (const stream of gathered) stream.letGo()
    const now = this.#deps.clock.now()
    for (const { appendedAt } of arrivals) this.observer.delivered?.(Math.max(0, now - appendedAt) / 1000)
  }

  #streamsConcernedBy(arrivals: readonly Arrival[]): EventStream[] {
    const projectIds = new Set(arrivals.map(({ event }) => event.projectId))
    return [...projectIds].flatMap((projectId) =>
      [...this.#subscribers.in(projectId)].flatMap(({ streams }) => [...streams]),
    )
  }

  #offer(subscriber: Subscriber, event: ProjectEvent): void {
    const { verdict } = subscriber
    if (verdict && this.#isUsable(verdict)) {
      this.#send(subscriber, event, verdict)
      return
    }
    if (verdict) this.#doubt(subscriber)
    if (subscriber.keepWaiting(event)) return
    this.#endAllOf(subscriber, 'Too many changes came while your permissions were being checked')
  }

  #isUsable({ until, askedAt }: Verdict): boolean {
    const { clock, changes } = this.#deps
    return clock.now() < until && (changes.isTrusted() || performance.now() - askedAt < VERDICT_MS_MAX)
  }

  #send({ streams }: Subscriber, event: ProjectEvent, { ability }: Verdict): void {
    if (!mayHearOf(ability, event)) return
    for (const stream of streams) {
      if (!stream.wants(event)) continue
      if (stream.send(event)) this.observer.sent?.(event.chunks.length)
      else this.#drop(stream)
    }
  }

  async #judgeAgain(subscriber: Subscriber): Promise<void> {
    if (subscriber.verdict || subscriber.streams.size === 0) return
    if (!(await this.#isSettled(subscriber))) this.#judging.add(subscriber)
  }

  /** False when it must be asked again: there is a new doubt, or the database does not answer. Until then streams wait. */
  async #isSettled(subscriber: Subscriber): Promise<boolean> {
    const { credential, projectId, doubts } = subscriber
    try {
      const verdict = await this.#deps.judge.verdictOn({ credential, projectId })
      if (!subscriber.believe(verdict, doubts)) return false
      this.#resume(subscriber, verdict)
    } catch (error) {
      if (error instanceof AppError && error.kind === 'unavailable') {
        await sleep(RETRY_MS, undefined, { ref: false })
        return false
      }
      if (doubts !== subscriber.doubts) return false
      this.#endAllOf(subscriber, this.#reasonOf(error))
    }
    return true
  }

  #resume(subscriber: Subscriber, verdict: Verdict): void {
    for (const stream of subscriber.streams) {
      try {
        stream.filter.requireAllowed(verdict.ability, verdict.environments)
      } catch (refusal) {
        this.#end(stream, this.#reasonOf(refusal))
        subscriber.streams.delete(stream)
      }
    }
    for (const event of subscriber.takeWaiting()) this.#offer(subscriber, event)
  }

  #endAllOf(subscriber: Subscriber, message: string): void {
    for (const stream of subscriber.streams) this.#end(stream, message)
    subscriber.streams.clear()
    subscriber.takeWaiting()
  }

  #endAll(message: string): void {
    for (const subscriber of this.#subscribers.all()) this.#endAllOf(subscriber, message)
  }

  /** What an ending stream says: what a request would be told. */
  #reasonOf(error: unknown): string {
    if (error instanceof AppError) return error.message
    this.#deps.log.error({ err: error }, 'the permissions of event streams could not be checked')
    return 'Your permissions could not be checked'
  }

  #end(stream: EventStream, message: string): void {
    stream.sayEnd(message)
    this.#ending.push(stream)
    if (this.#ending.length === 1) setTimeout(() => this.#resetEnding(), LAST_WORDS_MS).unref()
  }

  #resetEnding(): void {
    for (const stream of this.#ending) stream.reset()
    this.#ending = []
  }

  #drop(stream: EventStream): void {
    stream.reset()
    this.observer.dropped?.()
  }

  #remove(stream: EventStream, subscriber: Subscriber): void {
    this.#streams.delete(stream)
    subscriber.streams.delete(stream)
    this.#subscribers.forgetUnused(subscriber)
    if (this.#streams.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #tick(): void {
    this.#ticks += 1
    for (const stream of this.#streams.turn()) if (!stream.ping()) this.#drop(stream)
    if (this.#ticks % SILENCE_TICKS === 0) void this.#dropSilent()
    const now = this.#deps.clock.now()
    for (const subscriber of this.#subscribers.all()) {
      if (subscriber.verdict && now >= subscriber.verdict.until) this.#doubt(subscriber)
    }
  }

  async #dropSilent(): Promise<void> {
    const silent = await this.#silentPeers.look()
    if (silent.size === 0) return
    for (const stream of [...this.#streams.items()]) if (silent.has(stream.peer)) this.#drop(stream)
  }
}
