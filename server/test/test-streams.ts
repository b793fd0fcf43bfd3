import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after } from 'node:test'
import { TestIssuer } from './test-licenses.ts'
import { startServerOn, startTestServer, type TestServer } from './test-server.ts'

export const SUBSCRIBE = '/api/v1/events/subscribe/project-events'
export const ALL_KINDS = ['secret:create', 'secret:update', 'secret:delete', 'secret:import-mutation'] as const
const WAIT_MS_MAX = 10_000

export type Message = { id?: number; event: string; data?: unknown; raw: string }
type Condition = { environmentSlug?: string; secretPath?: string }
type Entry = { event: string; conditions?: Condition }

/** Everything, or what these conditions leave of it. */
export const everything = (conditions?: Condition): Entry[] =>
  ALL_KINDS.map((event) => ({ event, ...(conditions && { conditions }) }))

export const issuer = new TestIssuer()
const licensed = () => ({ HOLDFAST_LICENSE: issuer.issue(), HOLDFAST_LICENSE_PUBLIC_KEYS: issuer.publicKey })

/** A server with a port of its own, for which subscriptions are licensed. */
export const startStreamServer = async (environment: Record<string, string> = {}) => {
  const server = await startTestServer({ ...licensed(), ...environment })
  return { server, port: await listen(server) }
}

/** Another process on the same database. Whoever starts it stops it. */
export const startStreamServerOn = async (url: string, environment: Record<string, string> = {}) => {
  const server = await startServerOn(url, { ...licensed(), ...environment })
  return { server, port: await listen(server) }
}

const listen = async ({ app }: TestServer): Promise<number> => {
  await app.http.listen({ port: 0, host: '127.0.0.1' })
  const address = app.http.server.address()
  if (typeof address !== 'object' || !address) throw new Error('The server has no port')
  return address.port
}

type Request = { token?: string; projectId: string; register?: Entry[]; headers?: string[]; version?: string }

/** Reads one stream byte by byte, as it comes over the wire. */
export class TestStream {
  readonly socket: Socket
  readonly messages: Message[] = []
  head = ''
  /** What came, chunks as they were framed. */
  text = ''
  endedBy: string | undefined
  #unread = ''
  #body = ''
  #isRead: () => void = () => undefined

  private constructor(socket: Socket) {
    this.socket = socket
    socket.setEncoding('utf8')
    socket.on('data', (text: string) => this.#take(text))
    socket.on('error', (error: Error & { code?: string }) => (this.endedBy = error.code ?? error.message))
    socket.on('close', () => {
      this.endedBy ??= 'end'
      this.#isRead()
    })
  }

  /** Sends the request, and waits for nothing. */
  static async send(port: number, { token, projectId, register = everything(), ...other }: Request) {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    const stream = new TestStream(socket)
    const body = JSON.stringify({ projectId, register })
    const lines = [
      `POST ${SUBSCRIBE} HTTP/${other.version ?? '1.1'}`,
      'Host: localhost',
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
      ...(other.headers ?? []),
    ]
    socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`)
    return stream
  }

  /** An open stream that has received its first ping. It is gone when the test file ends. */
  static async open(port: number, request: Request): Promise<TestStream> {
    const stream = await TestStream.send(port, request)
    after(() => stream.close())
    await stream.until(() => stream.head !== '')
    if (!stream.head.startsWith('HTTP/1.1 200 ')) throw new Error(`The subscription was refused: ${stream.text}`)
    await stream.until(() => stream.messages.length > 0)
    return stream
  }

  /** All but pings. */
  get events(): Message[] {
    return this.messages.filter(({ event }) => event !== 'ping')
  }

  /** What it was told of, in short: `create dev /app A,B`. */
  get told(): string[] {
    return this.events.filter(({ event }) => event !== 'error').map(inShort)
  }

  get error(): string | undefined {
    const data = this.events.find(({ event }) => event === 'error')?.data as { message: string } | undefined
    return data?.message
  }

  async waitFor(events: number): Promise<void> {
    await this.until(() => this.events.length >= events)
  }

  /** Until the server lets it go. Says how long that took, in milliseconds. */
  async ended(): Promise<number> {
    const since = performance.now()
    await this.until(() => this.endedBy !== undefined)
    return performance.now() - since
  }

  async until(isSo: () => boolean): Promise<void> {
    const deadline = performance.now() + WAIT_MS_MAX
    while (!isSo()) {
      if (this.endedBy !== undefined) throw new Error(`The stream ended (${this.endedBy}) after: ${this.text}`)
      if (performance.now() > deadline) throw new Error(`Nothing more came after: ${this.text}`)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 100)
        this.#isRead = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }

  close(): void {
    this.socket.destroy()
  }

  #take(text: string): void {
    this.text += text
    this.#unread += text
    if (this.head === '') this.#readHead()
    if (this.head.startsWith('HTTP/1.1 200 ')) this.#readChunks()
    this.#isRead()
  }

  #readHead(): void {
    const end = this.#unread.indexOf('\r\n\r\n')
    if (end === -1) return
    this.head = this.#unread.slice(0, end + 4)
    this.#unread = this.#unread.slice(end + 4)
  }

  /** Sizes count bytes, and all that streams send here is ASCII. */
  #readChunks(): void {
    for (;;) {
      const [line = ''] = this.#unread.split('\r\n', 1)
      const size = parseInt(line, 16)
      const start = line.length + 2
      if (Number.isNaN(size) || this.#unread.length < start + size + 2) break
      this.#body += this.#unread.slice(start, start + size)
      this.#unread = this.#unread.slice(start + size + 2)
    }
    const parts = this.#body.split('\n\n')
    this.#body = parts.pop() ?? ''
    for (const raw of parts) this.messages.push(parse(raw))
  }
}

const parse = (raw: string): Message => {
  const lines = new Map(
    raw.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  )
  const [id, data] = [lines.get('id'), lines.get('data')]
  return {
    raw,
    event: lines.get('event') ?? '',
    ...(id !== undefined && { id: Number(id) }),
    ...(data !== undefined && { data: JSON.parse(data) as unknown }),
  }
}

const inShort = ({ event, data }: Message): string => {
  const { payload } = (data as { data: { payload: Payload | Payload[] } }).data
  const items = [payload].flat()
  const keys = items.flatMap(({ secretKey }) => secretKey ?? [])
  return [event.replace('secret:', ''), items[0]?.environment, items[0]?.secretPath, keys.join()].join(' ').trim()
}

type Payload = { environment: string; secretPath: string; secretKey?: string }
