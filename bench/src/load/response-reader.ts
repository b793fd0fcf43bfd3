export type Answer = { status: number; bytes: number; closes: boolean }

type Head = { status: number; closes: boolean; bodyAt: number; bodyBytes: number | 'chunked' }

const HEAD_END = '\r\n\r\n'
const LAST_CHUNK = Buffer.from('0\r\n\r\n')
const HEAD_BYTES_MAX = 65_536

/**
 * Reads the answers of one HTTP/1.1 connection, one after the other. It knows just what a load needs (how an answer
 * ends, its status and size), so that the load costs less than what it measures.
 */
export class ResponseReader {
  #received: Buffer | undefined
  #head: Head | undefined

  /** The answer, when this chunk completes it. */
  push(chunk: Buffer): Answer | undefined {
    const received = this.#received ? Buffer.concat([this.#received, chunk]) : chunk
    this.#head ??= readHead(received)
    if (!this.#head || !isComplete(received, this.#head)) {
      this.#received = received
      return undefined
    }
    const { status, closes, bodyAt } = this.#head
    this.#received = undefined
    this.#head = undefined
    return { status, closes, bytes: received.length - bodyAt }
  }
}

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

const isComplete = (received: Buffer, { bodyAt, bodyBytes: expected }: Head): boolean => {
  if (expected !== 'chunked') return received.length >= bodyAt + expected
  // JSON has no line ends of its own inside, so that these bytes are the last chunk's.
  return received.length >= bodyAt + LAST_CHUNK.length && received.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)
}
