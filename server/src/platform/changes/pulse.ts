/** News that comes in quick succession is read together. */
const PAUSE_MS_MIN = 2
const PAUSE_MS_MAX = 250

/** Says when to read: at once after news, but not more often than every 2 ms, and every 250 ms in any case. */
export class Pulse {
  #isWanted = false
  #lastAt = -Infinity
  #timer: NodeJS.Timeout | undefined
  #waiting: (() => void) | undefined

  /** Asks for a read that begins after this call. */
  poke(): void {
    if (this.#isWanted) return
    this.#isWanted = true
    if (this.#waiting) this.#arm()
  }

  /** Resolves when the next read is due; whatever asked for it is answered by that read. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting = resolve
      this.#arm()
    })
  }

  #arm(): void {
    clearTimeout(this.#timer)
    const dueMs = this.#lastAt + (this.#isWanted ? PAUSE_MS_MIN : PAUSE_MS_MAX) - performance.now()
    if (dueMs > 0) this.#timer = setTimeout(() => this.#beat(), dueMs)
    else this.#beat()
  }

  #beat(): void {
    this.#lastAt = performance.now()
    this.#isWanted = false
    this.#waiting?.()
    this.#waiting = undefined
  }
}
