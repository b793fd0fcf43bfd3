import { connect, type Socket } from 'node:net'
import { connect as connectWithTls } from 'node:tls'
import { type Answer, ResponseReader } from './response-reader.ts'

export type Exchange = {
  /** The next request; undefined when there are to be no more. */
  next: () => Buffer | undefined
  onAnswer: (answer: Answer, milliseconds: number) => void
  /** The connection broke, or what came was no answer. */
  onFailure: (reason: string) => void
}

const RENEW_MS = 10

/** A client that keeps one connection open and sends its next request when it has the answer to the last. */
export class Connection {
  readonly #base: URL
  readonly #exchange: Exchange
  #socket: Socket | undefined
  #reader = new ResponseReader()
  #sentAt: number | undefined

  constructor(base: URL, exchange: Exchange) {
    this.#base = base
    this.#exchange = exchange
  }

  open(): void {
    const socket = openSocket(this.#base, () => this.#send())
    this.#socket = socket
    this.#reader = new ResponseReader()
    this.#sentAt = undefined
    socket.setNoDelay(true)
    socket.on('data', (chunk) => this.#read(chunk))
    socket.on('error', (error) => this.#lose(socket, error.message))
    socket.on('close', () => this.#lose(socket, 'the connection was closed'))
  }

  close(): void {
    const socket = this.#socket
    this.#socket = undefined
    socket?.destroy()
  }

  #send(): void {
    const request = this.#exchange.next()
    if (!request) {
      this.close()
      return
    }
    this.#sentAt = performance.now()
    this.#socket?.write(request)
  }

  #read(chunk: Buffer): void {
    const sentAt = this.#sentAt
    let answer: Answer | undefined
    try {
      answer = this.#reader.push(chunk)
    } catch (error) {
      if (this.#socket) this.#lose(this.#socket, error instanceof Error ? error.message : String(error))
      return
    }
    if (!answer || sentAt === undefined) return
    this.#sentAt = undefined
    this.#exchange.onAnswer(answer, performance.now() - sentAt)
    if (answer.closes) this.#renew()
    else this.#send()
  }

  /** It is never idle: it connects, or has a request under way. */
  #lose(socket: Socket, reason: string): void {
    if (socket !== this.#socket) return
    this.#exchange.onFailure(reason)
    this.#renew()
  }

  #renew(): void {
    this.close()
    // Not at once: a server that is gone must not be asked in a tight loop.
    setTimeout(() => this.open(), RENEW_MS).unref()
  }
}

const openSocket = ({ protocol, hostname, port }: URL, onReady: () => void): Socket =>
  protocol === 'https:'
    ? connectWithTls({ host: hostname, port: Number(port || 443), servername: hostname }, onReady)
    : connect({ host: hostname, port: Number(port || 80) }, onReady)
