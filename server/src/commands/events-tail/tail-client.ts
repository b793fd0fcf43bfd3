import { z } from 'zod'
import { OperatorError } from '../../lib/operator-error.ts'
import { isUuid } from '../../lib/uuid.ts'
import { printable } from './change-lines.ts'
import type { TailOptions } from './tail-options.ts'

/** Something that may be over when one tries again. */
export class PassingProblem extends Error {
  readonly retryAfterMs: number | undefined

  constructor(message: string, options: { cause?: unknown; retryAfterMs?: number | undefined } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.retryAfterMs = options.retryAfterMs
  }
}

type Refusal = { status: number; error: string; message: string }
type Answer = { response: Response } | { refusal: Refusal }

const ANSWER_MS_MAX = 15_000
const RETRY_AFTER_SECONDS_MAX = 300
const MESSAGE_CHARACTERS_MAX = 500

const Complaint = z.object({ message: z.unknown(), error: z.string() })
const Login = z.object({ accessToken: z.string() })
const Project = z.object({ id: z.string() })

/** Speaks to a server as someone who may watch a project. What cannot get better is an OperatorError that says what to do. */
export class TailClient {
  readonly #options: TailOptions
  #token: string | undefined
  #projectId: string | undefined

  constructor(options: TailOptions) {
    this.#options = options
    this.#token = options.credentials.token
    this.#projectId = isUuid(options.project) ? options.project : undefined
  }

  /** A stream that has begun. */
  async subscribe(signal: AbortSignal): Promise<Response> {
    this.#projectId ??= await this.#findProject(signal)
    const body = { projectId: this.#projectId, register: this.#options.register }
    const response = await this.#authenticated('/api/v1/events/subscribe/project-events', signal, body)
    if (response.headers.get('content-type')?.startsWith('text/event-stream')) return response
    throw this.#notHoldfast()
  }

  async #findProject(signal: AbortSignal): Promise<string> {
    const path = `/api/v1/projects/slug/${encodeURIComponent(this.#options.project)}`
    return (await this.#read(await this.#authenticated(path, signal), Project)).id
  }

  /** Logs in first where there is no token, and once more when the one there is has ended. */
  async #authenticated(path: string, signal: AbortSignal, body?: object): Promise<Response> {
    let isFresh = this.#token === undefined
    this.#token ??= await this.#logIn(signal)
    for (;;) {
      const answer = await this.#ask(path, signal, { body, token: this.#token })
      if ('response' in answer) return answer.response
      if (isFresh || !isTokenRefused(answer.refusal) || !this.#canLogIn) throw whatToDo(answer.refusal)
      isFresh = true
      this.#token = await this.#logIn(signal)
    }
  }

  get #canLogIn(): boolean {
    const { clientId, clientSecret } = this.#options.credentials
    return clientId !== undefined && clientSecret !== undefined
  }

  async #logIn(signal: AbortSignal): Promise<string> {
    const { clientId, clientSecret } = this.#options.credentials
    const answer = await this.#ask('/api/v1/auth/universal-auth/login', signal, { body: { clientId, clientSecret } })
    if ('response' in answer) return (await this.#read(answer.response, Login)).accessToken
    throw new OperatorError(
      `The login was refused (${answer.refusal.message}): check HOLDFAST_CLIENT_ID and HOLDFAST_CLIENT_SECRET`,
    )
  }

  async #read<T>(response: Response, schema: z.ZodType<T>): Promise<T> {
    const parsed = schema.safeParse(parse(await response.text()))
    if (parsed.success) return parsed.data
    throw this.#notHoldfast()
  }

  #notHoldfast(): OperatorError {
    return new OperatorError(`${this.#options.url} does not answer as Holdfast does: check --url or SITE_URL`)
  }

  async #ask(
    path: string,
    signal: AbortSignal,
    { body, token }: { body?: object | undefined; token?: string },
  ): Promise<Answer> {
    const { url } = this.#options
    const response = await fetchHead(url + path, signal, {
      method: body ? 'POST' : 'GET',
      headers: {
        ...(body && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      throw signal.aborted ? error : new PassingProblem(`${url} cannot be reached`, { cause: error })
    })
    if (response.ok) return { response }
    const refusal = await readRefusal(response)
    if (refusal.status !== 429 && refusal.status !== 408 && refusal.status < 500) return { refusal }
    const retryAfterMs = retryAfterOf(response)
    throw new PassingProblem(`${url} answered ${refusal.status}: ${refusal.message}`, { retryAfterMs })
  }
}

/** Its head must come soon; its body may take forever. */
const fetchHead = async (url: string, signal: AbortSignal, init: RequestInit): Promise<Response> => {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), ANSWER_MS_MAX)
  try {
    return await fetch(url, { ...init, signal: AbortSignal.any([signal, late.signal]) })
  } finally {
    clearTimeout(timer)
  }
}

const readRefusal = async (response: Response): Promise<Refusal> => {
  const text = await response.text().catch(() => '')
  const complaint = Complaint.safeParse(parse(text))
  const { error, message } = complaint.success ? complaint.data : { error: '', message: response.statusText }
  const readable = typeof message === 'string' ? message : JSON.stringify(message)
  return { status: response.status, error, message: printable(readable).slice(0, MESSAGE_CHARACTERS_MAX) }
}

const retryAfterOf = ({ headers }: Response): number | undefined => {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return seconds >= 0 ? Math.min(seconds, RETRY_AFTER_SECONDS_MAX) * 1000 : undefined
}

const isTokenRefused = ({ status, error }: Refusal): boolean =>
  status === 401 || (status === 403 && error === 'TokenError')

const whatToDo = (refusal: Refusal): OperatorError => {
  const { status, message } = refusal
  if (isTokenRefused(refusal)) {
    return new OperatorError(
      `The token is not accepted (${message}): set HOLDFAST_TOKEN to a new one, or HOLDFAST_CLIENT_ID and HOLDFAST_CLIENT_SECRET so that new ones are fetched`,
    )
  }
  if (status === 403) {
    return new OperatorError(
      `${message}: ask an administrator of the project for a role that may subscribe to its events`,
    )
  }
  return new OperatorError(message)
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
