import type { Socket } from 'node:net'
import { badRequest, rateLimited } from '../../lib/app-error.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { Actor } from '../permissions/actor.ts'
import type { Credentials } from './credentials.ts'
import type { Judge } from './judge.ts'
import type { Subscription } from './project-events.schemas.ts'
import type { StreamHub } from './stream-hub.ts'
import type { StreamSlots } from './stream-slots.ts'
import type { Subscriber, Verdict } from './subscriber.ts'
import { SubscriptionFilter } from './subscription-filter.ts'

type Deps = { credentials: Credentials; judge: Judge; hub: StreamHub; slots: StreamSlots; audit: AuditLog }
type Request = { actor: Actor; accessToken: string; subscription: Subscription }
/** Sends the head of the stream; undefined when nobody is there any more. */
type Connect = () => Socket | undefined

/** Streams end all the time; that is a good moment to try again. */
const RETRY_AFTER_SECONDS = 10

/** Subscriptions to the changes of a project: who may have one, and how many there may be. */
export class ProjectEventService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Throws before anything is sent, or else leaves an open stream behind. */
  async subscribe({ actor, accessToken, subscription }: Request, connect: Connect): Promise<void> {
    const { credentials, hub } = this.#deps
    // Ids are compared as texts from here on.
    const projectId = subscription.projectId.toLowerCase()
    const credential = await credentials.read(accessToken, actor.origin)
    const subscriber = hub.expect(credential, projectId)
    try {
      const filter = new SubscriptionFilter(subscription.register)
      const { doubts } = subscriber
      const verdict = await this.#deps.judge.verdictOn({ credential, projectId, filter })
      await this.#takeSlot(projectId)
      await this.#openInSlot({ actor, subscription, subscriber, filter, verdict, doubts }, connect)
    } finally {
      hub.settle(subscriber)
    }
  }

  async #takeSlot(projectId: string): Promise<void> {
    const { slots } = this.#deps
    if (await slots.take(projectId)) return
    throw rateLimited(
      `The project has its ${slots.perProjectMax} concurrent event subscriptions, please try again in ${RETRY_AFTER_SECONDS} seconds`,
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
    )
  }

  /** The slot is given back when the stream ends, or at once when there is none. */
  async #openInSlot({ actor, subscription, subscriber, ...opening }: Opening, connect: Connect): Promise<void> {
    const { audit, hub, slots } = this.#deps
    const { projectId } = subscriber
    const release = () => slots.release(projectId)
    try {
      const metadata = { register: subscription.register }
      await audit.note(actor, { type: 'subscribe-project-events', projectId, metadata })
      const socket = connect()
      if (!socket) throw badRequest('The connection ended before the stream could begin')
      hub.open({ ...opening, subscriber, socket }, release)
    } catch (error) {
      release()
      throw error
    }
  }
}

type Opening = {
  actor: Actor
  subscription: Subscription
  subscriber: Subscriber
  filter: SubscriptionFilter
  verdict: Verdict
  doubts: number
}
