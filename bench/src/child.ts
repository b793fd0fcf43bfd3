import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

/** A helper process of ours that answers each message with one. */
export class Child {
  readonly #process: ChildProcess

  constructor(module: URL, signal: AbortSignal) {
    // Not as JSON, which has no NaN.
    this.#process = fork(module, { serialization: 'advanced', stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    signal.addEventListener('abort', () => this.#process.kill(), { once: true })
  }

  async ask<Answer extends object>(question: object): Promise<Answer> {
    const abandon = new AbortController()
    const answered = once(this.#process, 'message', abandon) as Promise<[Answer | { failure: string }]>
    const ended = once(this.#process, 'exit', abandon).then(() => {
      throw new Error('a helper process has ended')
    })
    try {
      this.#process.send(question)
      const [answer] = await Promise.race([answered, ended])
      if ('failure' in answer) throw new Error(answer.failure)
      return answer
    } finally {
      abandon.abort()
      answered.catch(() => undefined)
      ended.catch(() => undefined)
    }
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return
    const ended = once(this.#process, 'exit')
    this.#process.disconnect()
    await ended
  }
}
