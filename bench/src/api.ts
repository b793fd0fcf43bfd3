import type { Request } from './load/request.ts'
import { notBuilt } from './skipped.ts'

const REQUEST_MS_MAX = 60_000
const PARALLEL = 16

/** Sets up what the cases need, through the interface that they measure. */
export class Api {
  readonly url: string
  readonly #signal: AbortSignal

  constructor(url: string, signal: AbortSignal) {
    this.url = url.replace(/\/+$/, '')
    this.#signal = signal
  }

  async get(path: string, token: string): Promise<Answer> {
    return new Answer(await this.send({ method: 'GET', path, token }))
  }

  async post(path: string, body: object, token?: string): Promise<Answer> {
    return new Answer(await this.send({ method: 'POST', path, body, ...(token !== undefined && { token }) }))
  }

  /** The text of a good answer. */
  async send(request: Request): Promise<string> {
    return (await this.#exchange(request)).text
  }

  /** The tag of what is there now. */
  async entityTag(request: Request): Promise<string> {
    const { entityTag } = await this.#exchange(request)
    if (entityTag === null) throw notBuilt()
    return entityTag
  }

  /** A route that is not there makes the case one that is not built. */
  async #exchange({ method, path, token, body, ifNoneMatch }: Request) {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        ...(body && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(ifNoneMatch !== undefined && { 'if-none-match': ifNoneMatch }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.any([this.#signal, AbortSignal.timeout(REQUEST_MS_MAX)]),
    })
    const text = await response.text()
    if (response.status === 404) throw notBuilt()
    const isUnchanged = response.status === 304 && ifNoneMatch !== undefined
    if (!response.ok && !isUnchanged)
      throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`)
    return { text, entityTag: response.headers.get('etag') }
  }
}

/** What the wire sent, of which nothing is known until it is looked at. */
export class Answer {
  readonly #body: unknown

  constructor(body: string) {
    this.#body = JSON.parse(body)
  }

  /** The text at a place such as `identity.id`. */
  text(place: string): string {
    let value = this.#body
    for (const name of place.split('.'))
      value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
    if (typeof value !== 'string') throw new Error(`the answer has no text at ${place}`)
    return value
  }
}

/** Does `work` for each number from `from` up to but not including `to`, some at a time. */
export const inParallel = async (
  { from, to }: { from: number; to: number },
  work: (number: number) => Promise<unknown>,
): Promise<void> => {
  let next = from
  const runner = async () => {
    while (next < to) await work(next++)
  }
  await Promise.all(Array.from({ length: Math.min(PARALLEL, to - from) }, runner))
}
