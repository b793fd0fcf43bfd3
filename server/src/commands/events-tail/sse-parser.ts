/** One message of a stream. By the standard one without data is nothing; here a ping shows that the stream lives. */
export type SseMessage = { event: string; data: string | undefined }

const PENDING_CHARACTERS_MAX = 1_048_576

/** Takes a stream of server-sent events apart, in whatever pieces it comes. */
export class SseParser {
  #pending = ''
  #event = ''
  #data: string[] = []
  #endedWithReturn = false

  /** The messages that this piece completes. Throws when one grows beyond all measure. */
  push(piece: string): SseMessage[] {
    const text = this.#pending + (this.#endedWithReturn && piece.startsWith('\n') ? piece.slice(1) : piece)
    if (piece !== '') this.#endedWithReturn = piece.endsWith('\r')
    const lines = text.split(/\r\n|\n|\r/)
    this.#pending = lines.pop() ?? ''
    const messages = lines.flatMap((line) => this.#take(line))
    if (this.#pending.length + this.#data.join('').length > PENDING_CHARACTERS_MAX) {
      throw new Error('The stream sent a message without end')
    }
    return messages
  }

  #take(line: string): SseMessage[] {
    if (line === '') return this.#complete()
    const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (field === 'event') this.#event = value
    if (field === 'data') this.#data.push(value)
    return []
  }

  #complete(): SseMessage[] {
    const message = { event: this.#event || 'message', data: this.#data.length > 0 ? this.#data.join('\n') : undefined }
    const isSomething = this.#event !== '' || this.#data.length > 0
    this.#event = ''
    this.#data = []
    return isSomething ? [message] : []
  }
}
