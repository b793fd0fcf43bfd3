import { after } from 'node:test'
import type { InjectOptions } from 'fastify'
import { pino } from 'pino'
import { type App, createApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { loadRootKeys } from '../src/platform/crypto/root-key-settings.ts'
import { createLogger } from '../src/platform/logger.ts'
import { createTestDatabase, openDatabase } from './test-database.ts'
import { TestClock } from './test-clock.ts'

const TEST_ROOT_KEY = Buffer.alloc(32, 7).toString('base64')

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- whatever the wire sends, a test may look at
export type Answer = { status: number; body: any; headers: Record<string, unknown>; text: string }

type RequestOptions = {
  token?: string | undefined
  headers?: Record<string, string>
  ip?: string
  query?: Record<string, string | string[]>
}

export type TestServer = Awaited<ReturnType<typeof startTestServer>>

/** A test that meets a 500 should not have to guess. */
const errorsToTheTerminal = () => createLogger('error', pino.destination(2))

/** A whole server on a database of its own, without a port; gone when the test file ends. Call it with top-level await. */
export const startTestServer = async (environment: Record<string, string> = {}, log = errorsToTheTerminal()) => {
  const { url, drop } = await createTestDatabase()
  const server = await startServerOn(url, environment, log)
  after(async () => {
    await server.stop()
    await drop()
  })
  return server
}

/** Another process on the same database, as far as it can tell. Whoever starts it stops it. */
export const startServerOn = async (
  url: string,
  environment: Record<string, string> = {},
  log = errorsToTheTerminal(),
) => {
  const clock = new TestClock()
  const config = readConfig({
    DATABASE_URL: url,
    HOLDFAST_ROOT_KEY: TEST_ROOT_KEY,
    SITE_URL: 'http://localhost:8080',
    ...environment,
  })
  const db = openDatabase(url)
  const app = createApp({
    config,
    db,
    directUrl: url,
    roots: await loadRootKeys({ rootKey: TEST_ROOT_KEY }),
    log,
    clock: (real) => clock.following(real),
  })
  await app.prepare(() => undefined)
  return new Client(app, { url, clock, close: () => db.close() })
}

type Surroundings = { url: string; clock: TestClock; close: () => Promise<void> }

class Client {
  readonly app: App
  readonly url: string
  readonly clock: TestClock
  readonly #close: () => Promise<void>

  constructor(app: App, { url, clock, close }: Surroundings) {
    this.app = app
    this.url = url
    this.clock = clock
    this.#close = close
  }

  get = (path: string, options?: RequestOptions) => this.request('GET', path, undefined, options)
  delete = (path: string, options?: RequestOptions & { body?: object }) =>
    this.request('DELETE', path, options?.body, options)
  post = (path: string, body?: object, options?: RequestOptions) => this.request('POST', path, body, options)
  patch = (path: string, body?: object, options?: RequestOptions) => this.request('PATCH', path, body, options)
  put = (path: string, body?: object, options?: RequestOptions) => this.request('PUT', path, body, options)

  async request(
    method: InjectOptions['method'],
    path: string,
    body?: object,
    { token, headers, ip, query }: RequestOptions = {},
  ): Promise<Answer> {
    const response = await this.app.http.inject({
      method: method ?? 'GET',
      url: path,
      headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
      ...(body !== undefined && { payload: body }),
      ...(ip !== undefined && { remoteAddress: ip }),
      ...(query !== undefined && { query }),
    })
    return {
      status: response.statusCode,
      headers: response.headers,
      text: response.payload,
      body: parse(response.payload),
    }
  }

  /** The first organization with its administrators: a machine identity (its token) and a person (its password). */
  async bootstrap() {
    const password = 'correct horse battery 9'
    const { status, body, text } = await this.post('/api/v1/admin/bootstrap', {
      email: 'admin@example.com',
      password,
      organization: 'Acme',
    })
    if (status !== 200) throw new Error(`bootstrap answered ${status}: ${text}`)
    return {
      token: body.identity.credentials.token as string,
      identityId: body.identity.id as string,
      organizationId: body.organization.id as string,
      userId: body.user.id as string,
      email: 'admin@example.com',
      password,
    }
  }

  async stop(): Promise<void> {
    await this.app.stop()
    await this.#close()
  }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
