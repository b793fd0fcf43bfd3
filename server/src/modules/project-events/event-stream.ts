import type { Socket } from 'node:net'
import { peerOf } from '../../platform/http/silent-peers.ts'
import { errorChunk, PING, type ProjectEvent } from './project-event.ts'
import type { SubscriptionFilter } from './subscription-filter.ts'

/** What a reader may leave unread in this process, beyond what its kernel and ours hold. */
const UNREAD_BYTES_MAX = 256 * 1_024
/** Pings that come upon a write which has not moved since the one before; then nobody is there. */
const STALLED_PINGS_MAX = 3

/** One open connection. It knows what it asked for and how to be written to; whether it may hear is decided elsewhere. */
export class EventStream {
  readonly filter: SubscriptionFilter
  readonly #socket: Socket
  /** Of the events before it nothing is sent. */
  readonly #openedAfterId: number
  #isEnding = false
  #bytesAtPing = -1
  #stalledPings = 0

  constructor(filter: SubscriptionFilter, socket: Socket, openedAfterId: number) {
    this.filter = filter
    this.#socket = socket
    this.#openedAfterId = openedAfterId
  }

  wants(event: ProjectEvent): boolean {
    return event.lastId > this.#openedAfterId && this.filter.wants(event)
  }

  /** False when the reader is too far behind to be given more. */
  send({ chunks, bytes }: Pick<ProjectEvent, 'chunks' | 'bytes'>): boolean {
    if (this.#isEnding || !this.#socket.writable) return true
    const isWaiting = this.#socket.writableLength > 0
    if (isWaiting && this.#socket.writableLength + bytes > UNREAD_BYTES_MAX) return false
    for (const chunk of chunks) this.#socket.write(chunk)
    return true
  }

  /** What is sent from now on leaves together, at `letGo`. */
  gather(): void {
    this.#socket.cork()
  }

  letGo(): void {
    this.#socket.uncork()
  }

  /** False when nobody seems to be there: what was written some pings ago has not left yet. */
  ping(): boolean {
    const { writableLength, bytesWritten } = this.#socket
    const sent = bytesWritten - writableLength
    this.#stalledPings = writableLength > 0 && sent === this.#bytesAtPing ? this.#stalledPings + 1 : 0
    this.#bytesAtPing = sent
    return this.#stalledPings < STALLED_PINGS_MAX && this.send({ chunks: [PING], bytes: PING.length })
  }

  /** Says why; the reset comes when that had time to arrive. */
  sayEnd(message: string): void {
    const chunk = errorChunk(message)
    this.send({ chunks: [chunk], bytes: chunk.length })
    this.#isEnding = true
  }

  /** Not closed in good order: readers take a clean end for nothing to do. */
  reset(): void {
    this.#isEnding = true
    if (!this.#socket.destroyed) this.#socket.resetAndDestroy()
  }

  get peer(): string {
    return peerOf(this.#socket)
  }

  onClose(listener: () => void): void {
    if (this.#socket.destroyed) listener()
    else this.#socket.once('close', listener)
  }
}
