export type Answer = { status: number; bytes: number; closes: boolean }

type Head = { status: number; closes: boolean; bodyAt: number; bodyBytes: number | 'chunked' }

const HEAD_END = '\r\n\r\n'
const LAST_CHUNK = Buffer.from('0\r\n\r\n')
const HEAD_BYTES_MAX = 65_536
const NOTHING = Buffer.alloc(0)

/**
 * Reads the answers of one HTTP/1.1 connection, one after the other. It knows just what a load needs (how an answer
 * ends, its status and size), so that the load costs less than what it measures.
 */
export class ResponseReader {
  /** Until the head is whole; from then on what has come is only counted, and its end kept. */
  #received: Buffer = NOTHING
  #head: Head | undefined
  #bytes = 0
  #end: Buffer = NOTHING

  /** The answer, when this chunk completes it. */
  push(chunk: Buffer): Answer | undefined {
    this.#bytes += chunk.length
    this.#end = endOf(chunk.length < LAST_CHUNK.length ? Buffer.concat([this.#end, chunk]) : chunk)
    if (!this.#head) {
      this.#received = Buffer.concat([this.#received, chunk])
      this.#head = readHead(this.#received)
    }
    if (!this.#head || !this.#isComplete(this.#head)) return undefined
    const { status, closes, bodyAt } = this.#head
    const answer = { status, closes, bytes: this.#bytes - bodyAt }
    this.#received = this.#end = NOTHING
    this.#head = undefined
    this.#bytes = 0
    return answer
  }

  #isComplete({ bodyAt, bodyBytes: expected }: Head): boolean {
    if (expected !== 'chunked') return this.#bytes >= bodyAt + expected
    // JSON has no line ends of its own inside, so that these bytes are the last chunk's.
    return this.#bytes >= bodyAt + LAST_CHUNK.length && this.#end.equals(LAST_CHUNK)
  }
}

const endOf = (bytes: Buffer): Buffer => bytes.subarray(-LAST_CHUNK.length)

const readHead = (received: Buffer): Head | undefined => {
  const end = received.indexOf(HEAD_END)
  if (end < 0) {
    if (received.length > HEAD_BYTES_MAX) throw new Error('the head of the answer does not end')
    return undefined
  }
  const text = received.toString('latin1', 0, end)
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1] ?? NaN)
  if (Number.isNaN(status)) throw new Error('the answer is not HTTP/1.1')
  return {
    status,
    closes: /\r\nconnection: *close/i.test(text),
    bodyAt: end + HEAD_END.length,
    bodyBytes: bodyBytes(status, text),
  }
}

const bodyBytes = (status: number, head: string): Head['bodyBytes'] => {
  if (status === 204 || status === 304) return 0
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length !== undefined) return Number(length)
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) return 'chunked'
  throw new Error('the answer does not say how long it is')
}
