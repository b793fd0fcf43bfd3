import { connect, type Socket } from 'node:net'

export type Subscription = { url: URL; token: string; projectId: string }

const KEY = /"secretKey":"([A-Z]+_\d+)"/g
/** No key is longer than that, so a key that came in two pieces is found when the second has come. */
const REMAINDER_MAX = 64

/** One open stream: nothing but a socket that notes which keys it was told of. */
export class Stream {
  readonly #socket: Socket
  #remainder = ''
  #isOpen = false

  /** `onKey` is called once for each time that a key is named. */
  constructor({ url, token, projectId }: Subscription, onKey: (key: string) => void) {
    const body = JSON.stringify({ projectId, register: [{ event: 'secret:update' }] })
    this.#socket = connect({ host: url.hostname, port: Number(url.port || 80) }, () => {
      this.#socket.write(
        [
          'POST /api/v1/events/subscribe/project-events HTTP/1.1',
          `host: ${url.host}`,
          `authorization: Bearer ${token}`,
          'content-type: application/json',
          `content-length: ${Buffer.byteLength(body)}`,
          `\r\n${body}`,
        ].join('\r\n'),
      )
    })
    this.#socket.setEncoding('latin1')
    this.#socket.on('data', (chunk: string) => this.#read(chunk, onKey))
    // Whoever waits for it to open, or for its events, notices.
    this.#socket.on('error', () => this.#socket.destroy())
  }

  /** Resolves when the first ping has come. */
  opened(): Promise<void> {
    return new Promise((resolve, reject) => {
      let answer = ''
      const look = (chunk: string) => {
        answer += chunk
        if (!answer.includes('event: ping')) return
        this.#isOpen = answer.startsWith('HTTP/1.1 200')
        if (this.#isOpen) resolve()
      }
      this.#socket.on('data', look)
      this.#socket.once('close', () => reject(new Error(`the stream was refused: ${answer.slice(0, 500)}`)))
    })
  }

  get isOpen(): boolean {
    return this.#isOpen && !this.#socket.destroyed
  }

  close(): void {
    this.#socket.destroy()
  }

  #read(chunk: string, onKey: (key: string) => void): void {
    const text = this.#remainder + chunk
    let end = 0
    for (const match of text.matchAll(KEY)) {
      onKey(match[1] ?? '')
      end = match.index + match[0].length
    }
    this.#remainder = text.slice(Math.max(end, text.length - REMAINDER_MAX))
  }
}
