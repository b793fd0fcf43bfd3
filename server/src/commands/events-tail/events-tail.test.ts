import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { after, describe, test } from 'node:test'
import { OperatorError } from '../../lib/operator-error.ts'
import { newId } from '../../lib/uuid.ts'
import { tailEvents } from './events-tail.ts'
import { tailOptions } from './tail-options.ts'

const PROJECT = newId()
const PATIENCE = { retryMsMin: 1, retryMsMax: 5, silenceMsMax: 300 }
const PING = 'event: ping\n\n'
const created = (secretKey: string) =>
  `id: 1\nevent: secret:create\ndata: ${JSON.stringify({ data: { payload: [{ environment: 'dev', secretPath: '/', secretKey }] } })}\n\n`

type Step = (request: { body: Record<string, unknown>; token: string; path: string }, response: ServerResponse) => void

/** Answers each request as the next step says. */
let steps: Step[] = []
const requests: { path: string; token: string; body: Record<string, unknown> }[] = []
const server = createServer((request, response) => void answer(request, response))
const answer = async (request: IncomingMessage, response: ServerResponse) => {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  const body = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>
  const seen = { path: request.url ?? '', token: request.headers.authorization ?? '', body }
  requests.push(seen)
  const step = steps.shift()
  if (step) step(seen, response)
  else response.destroy()
}
server.listen(0, '127.0.0.1')
await once(server, 'listening')
after(() => {
  server.closeAllConnections()
  server.close()
})
const address = server.address()
const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`

const streaming =
  (...pieces: string[]): Step =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(PING + pieces.join(''))
  }
const breakingOff =
  (...pieces: string[]): Step =>
  (seen, response) => {
    streaming(...pieces)(seen, response)
    setImmediate(() => response.destroy())
  }
const refusing =
  (status: number, error: string, message = error, headers = {}): Step =>
  (_, response) =>
    response.writeHead(status, headers).end(JSON.stringify({ statusCode: status, error, message }))
const giving =
  (body: object): Step =>
  (_, response) =>
    response.writeHead(200).end(JSON.stringify(body))

const CLIENT = { token: undefined, clientId: 'id', clientSecret: 'secret' }
const TOKEN = { token: 'token', clientId: undefined, clientSecret: undefined }

type Client = { token: string | undefined; clientId: string | undefined; clientSecret: string | undefined }
type Run = { steps: Step[]; until: number; client?: Client; args?: string[] }

/** What is shown until so many lines have come. */
const tail = async ({ steps: next, until, client = TOKEN, args = ['--project', PROJECT] }: Run) => {
  steps = next
  requests.length = 0
  const [lines, notices]: string[][] = [[], []]
  const ending = new AbortController()
  const deadline = setTimeout(() => ending.abort(), 5_000)
  const write = (line: string) => {
    if ((lines?.push(line) ?? 0) >= until) ending.abort()
  }
  const options = tailOptions(args, { siteUrl: url, client })
  const notice = (line: string) => void notices?.push(line)
  const deps = { write, notice, isColoured: false, signal: ending.signal, patience: PATIENCE }
  await tailEvents(options, deps).finally(() => clearTimeout(deadline))
  return { keys: lines?.map((line) => line.split('  ').at(-1)), said: notices?.join('\n') ?? '' }
}

describe('events tail', () => {
  test('shows changes as they come, until it is told to stop', async () => {
    const { keys, said } = await tail({ steps: [streaming(created('A'), PING, created('B'))], until: 2 })
    assert.deepEqual(keys, ['A', 'B'])
    assert.match(said, /^Watching/)
    assert.deepEqual(requests[0]?.token, 'Bearer token')
    const register = ['create', 'update', 'delete', 'import-mutation'].map((name) => ({ event: `secret:${name}` }))
    assert.deepEqual(requests[0].body, { projectId: PROJECT, register })
  })

  test('asks for what was filtered, in all folders unless one is named', async () => {
    const args = ['--project', PROJECT, '--environment', 'dev', '--events', 'create,secret:delete']
    await tail({ args, steps: [streaming(created('A'))], until: 1 })
    const conditions = { environmentSlug: 'dev', secretPath: '/**' }
    assert.deepEqual(requests[0]?.body['register'], [
      { event: 'secret:create', conditions },
      { event: 'secret:delete', conditions },
    ])
  })

  test('finds a project by its slug, and logs in with a client id and secret', async () => {
    const args = ['--project', 'my project']
    const next = [giving({ accessToken: 'fresh' }), giving({ id: PROJECT }), streaming(created('A'))]
    await tail({ args, client: CLIENT, steps: next, until: 1 })
    assert.deepEqual(
      requests.map(({ path, token }) => [path, token]),
      [
        ['/api/v1/auth/universal-auth/login', ''],
        ['/api/v1/projects/slug/my%20project', 'Bearer fresh'],
        ['/api/v1/events/subscribe/project-events', 'Bearer fresh'],
      ],
    )
    assert.equal(requests.at(-1)?.body['projectId'], PROJECT)
  })

  test('comes back when the stream breaks off, and says what it may have missed', async () => {
    const { keys, said } = await tail({ steps: [breakingOff(created('A')), streaming(created('B'))], until: 2 })
    assert.deepEqual(keys, ['A', 'B'])
    assert.match(said, /broke off[\s\S]*between \S+ \S+ and \S+ \S+ may have been missed/)
  })

  test('comes back when the server is away, busy or has fallen silent', async () => {
    const busy = refusing(429, 'RateLimitExceeded', 'busy', { 'retry-after': '0' })
    const away: Step = (_, response) => response.destroy()
    const { keys, said } = await tail({
      steps: [refusing(503, 'ServiceUnavailable'), busy, away, streaming(), streaming(created('A'))],
      until: 1,
    })
    assert.deepEqual(keys, ['A'])
    assert.match(said, /answered 503[\s\S]*answered 429: busy[\s\S]*cannot be reached[\s\S]*fell silent/)
  })

  test('comes back when the server ends the stream for a cause', async () => {
    const ended: Step = (seen, response) => {
      streaming('event: error\ndata: {"message":"over"}\n\n')(seen, response)
      response.end()
    }
    const { said } = await tail({ steps: [ended, streaming(created('A'))], until: 1 })
    assert.match(said, /The server ends the stream: over/)
  })

  test('logs in again when the token has ended', async () => {
    const { keys } = await tail({
      client: CLIENT,
      steps: [
        giving({ accessToken: 'first' }),
        breakingOff(created('A')),
        refusing(401, 'UnauthorizedError'),
        giving({ accessToken: 'second' }),
        streaming(created('B')),
      ],
      until: 2,
    })
    assert.deepEqual(keys, ['A', 'B'])
    assert.equal(requests.at(-1)?.token, 'Bearer second')
  })

  for (const [name, next, pattern, client] of [
    ['there is no licence', refusing(400, 'BadRequest', 'not available on your current plan: do this'), /do this$/],
    ['the token has ended', refusing(401, 'UnauthorizedError', 'over'), /set HOLDFAST_TOKEN to a new one/],
    ['the token is none', refusing(403, 'TokenError', 'none'), /set HOLDFAST_TOKEN to a new one/],
    ['the right is missing', refusing(403, 'PermissionDenied', 'not allowed'), /ask an administrator of the project/],
    ['there is no such project', refusing(404, 'NotFound', "Project 'x' not found"), /not found$/],
    ['the secret is wrong', refusing(401, 'UnauthorizedError', 'wrong'), /check HOLDFAST_CLIENT_ID/, CLIENT],
    ['somebody else answers', giving({ hello: 'world' }), /does not answer as Holdfast/],
    ['somebody else answers a login', giving({ hello: 'world' }), /does not answer as Holdfast/, CLIENT],
  ] as [string, Step, RegExp, Client?][]) {
    test(`says what to do when ${name}`, () =>
      assert.rejects(tail({ steps: [next], until: 1, ...(client && { client }) }), (error) => {
        return error instanceof OperatorError && pattern.test(error.message)
      }))
  }

  for (const [name, args, client] of [
    ['no project is named', [], TOKEN],
    ['an option is unknown', ['--project', PROJECT, '--all'], TOKEN],
    ['a kind of event is unknown', ['--project', PROJECT, '--events', 'create,rename'], TOKEN],
    ['the address is none', ['--project', PROJECT, '--url', 'localhost:8080'], TOKEN],
    ['there is no token', ['--project', PROJECT], { ...CLIENT, clientSecret: undefined }],
  ] as [string, string[], Client][]) {
    test(`says what to do when ${name}`, () =>
      assert.throws(() => tailOptions(args, { siteUrl: url, client }), OperatorError))
  }
})
