import { setTimeout as sleep } from 'node:timers/promises'
import { changeLines, reasonOf, timeOf } from './change-lines.ts'
import { type SseMessage, SseParser } from './sse-parser.ts'
import { PassingProblem, TailClient } from './tail-client.ts'
import type { TailOptions } from './tail-options.ts'

type Deps = {
  /** A line for each change. */
  write: (line: string) => void
  /** What the person should know besides. */
  notice: (line: string) => void
  isColoured: boolean
  /** Ends it. */
  signal: AbortSignal
  /** For tests: shorter times. */
  patience?: Patience
}

type Patience = { retryMsMin: number; retryMsMax: number; silenceMsMax: number }

/** A server says something at least every 15 seconds: one that is silent for longer than two of these is gone. */
const PATIENCE: Patience = { retryMsMin: 500, retryMsMax: 30_000, silenceMsMax: 40_000 }

/** Shows the changes of a project as they happen, until it is told to stop. Throws OperatorError when trying again is of no use. */
export const tailEvents = async (options: TailOptions, deps: Deps): Promise<void> => {
  const { notice, signal } = deps
  const { retryMsMin, retryMsMax } = deps.patience ?? PATIENCE
  const client = new TailClient(options)
  const tail = new Tail(deps)
  const isOver = () => signal.aborted
  let pauseMs = retryMsMin
  while (!isOver()) {
    try {
      const response = await client.subscribe(signal)
      tail.begin(options)
      pauseMs = retryMsMin
      await tail.follow(response)
      notice('The stream ended')
    } catch (error) {
      if (isOver()) return
      if (!(error instanceof PassingProblem)) throw error
      pauseMs = error.retryAfterMs ?? pauseMs
      notice(error.message)
    }
    const waitMs = Math.round(pauseMs * (0.5 + Math.random() / 2))
    notice(`Trying again in ${(waitMs / 1000).toFixed(1)} s`)
    await sleep(waitMs, undefined, { signal }).catch(() => undefined)
    pauseMs = Math.min(2 * pauseMs, retryMsMax)
  }
}

/** One watcher through all its connections. */
class Tail {
  readonly #deps: Deps
  /** When the last connection was last known to live. */
  #heardAt: Date | undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  begin({ project, url }: TailOptions): void {
    const now = new Date()
    this.#deps.notice(
      this.#heardAt
        ? `Connected again. What changed between ${timeOf(this.#heardAt)} and ${timeOf(now)} may have been missed`
        : `Watching ${project} at ${url}. Ctrl-C ends it`,
    )
    this.#heardAt = now
  }

  /** Until the stream ends, by itself or because nothing comes any more. */
  async follow({ body }: Response): Promise<void> {
    if (!body) return
    const silence = new AbortController()
    const { silenceMsMax } = this.#deps.patience ?? PATIENCE
    const timer = setTimeout(() => silence.abort(), silenceMsMax)
    const parser = new SseParser()
    const pieces = body.pipeThrough(new TextDecoderStream(), { signal: silence.signal })
    try {
      for await (const piece of pieces) {
        timer.refresh()
        this.#heardAt = new Date()
        for (const message of parser.push(piece)) this.#show(message)
      }
    } catch (error) {
      if (this.#deps.signal.aborted) throw error
      throw new PassingProblem(silence.signal.aborted ? 'The stream fell silent' : 'The stream broke off', {
        cause: error,
      })
    } finally {
      clearTimeout(timer)
    }
  }

  #show(message: SseMessage): void {
    const { isColoured, write, notice } = this.#deps
    for (const line of changeLines(message, { at: new Date(), isColoured })) write(line)
    if (message.event === 'error') notice(`The server ends the stream: ${reasonOf(message)}`)
  }
}
