import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { after, describe, test } from 'node:test'
import { TLSSocket } from 'node:tls'
import { LOOPBACK_CERTIFICATE, LOOPBACK_KEY } from '../../test/loopback-certificate.ts'
import { openDatabase } from '../../test/test-database.ts'
import { testPostgresUrl } from '../../test/test-postgres.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { connectDirectly } from '../platform/db/connection.ts'
import { databaseProblem } from './database-problem.ts'

const real = new URL(await testPostgresUrl())

/** What PostgreSQL sends when it turns somebody away. */
const errorResponse = (code: string, message: string): Buffer => {
  const fields = Buffer.from(`SFATAL\0C${code}\0M${message}\0\0`)
  const length = Buffer.alloc(4)
  length.writeInt32BE(fields.length + 4)
  return Buffer.concat([Buffer.from('E'), length, fields])
}

/** The address of something that takes connections in place of PostgreSQL. */
const listen = async (onConnection: (socket: Socket) => void): Promise<string> => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined))
    socket.once('data', () => onConnection(socket))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  return `127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`
}

const turningAway = (code: string, message: string) => listen((socket) => socket.end(errorResponse(code, message)))
const selfSigned = () =>
  listen((socket) => {
    socket.write('S')
    const options = { isServer: true, cert: LOOPBACK_CERTIFICATE, key: LOOPBACK_KEY }
    new TLSSocket(socket, options).on('error', () => undefined)
  })

const changed = (changes: (url: URL) => void): string => {
  const url = new URL(real)
  changes(url)
  return url.href
}

const failureOf = async (url: string): Promise<unknown> => {
  const connecting = connectDirectly({ url, applicationName: 'holdfast-test', statementTimeoutMs: 1_000 })
  return connecting.then(
    (client) => client.end().then(() => assert.fail('it was let in')),
    (error: unknown) => error,
  )
}

const cases: [name: string, url: string, advice: RegExp, isLasting: boolean][] = [
  ['a missing database', changed((url) => (url.pathname = '/nowhere')), /"nowhere".*create that database/, true],
  ['a missing role', changed((url) => (url.username = 'nobody-here')), /"nobody-here".*create that role/, true],
  [
    'a wrong password',
    `postgresql://app:hunter2@${await turningAway('28P01', 'password authentication failed for user "app"')}/x`,
    /"app".*correct the user or the password/,
    true,
  ],
  ['a server without TLS', changed((url) => url.searchParams.set('sslmode', 'verify-full')), /correct sslmode/, true],
  ['an untrusted certificate', `postgresql://${await selfSigned()}/x?sslmode=verify-full`, /sslrootcert/, true],
  ['a refused connection', 'postgresql://localhost:1/x', /ECONNREFUSED.*start it/, false],
  ['a missing socket', 'postgresql:///x?host=/nowhere', /ENOENT.*start it/, false],
  ['an unknown host', 'postgresql://host.invalid/x', /host\.invalid.*start it/, false],
  [
    'a database that starts up',
    `postgresql://${await turningAway('57P03', 'the database system is starting up')}/x`,
    /starting up/,
    false,
  ],
]

describe('what to do about', () => {
  for (const [name, url, advice, isLasting] of cases) {
    test(`${name} is one line without credentials`, async () => {
      const problem = databaseProblem(await failureOf(url)) ?? assert.fail('not recognised')
      assert.match(problem.advice, advice)
      assert.ok(!/\n|hunter2/.test(problem.advice))
      assert.equal(problem.isLasting, isLasting)
    })
  }

  test('a connection of the pool that failed is found behind the 503', async () => {
    const db = openDatabase('postgresql://127.0.0.1:1/x')
    const error: unknown = await db.transaction(() => Promise.resolve()).catch((failure: unknown) => failure)
    assert.match(databaseProblem(error)?.advice ?? '', /ECONNREFUSED/)
    await db.close()
  })

  test('a certificate that the URL names and that is not there is said by the connection', async () => {
    const error = await failureOf('postgresql://127.0.0.1:1/x?sslmode=verify-full&sslrootcert=/nowhere.pem')
    assert.ok(error instanceof OperatorError && /DATABASE_URL.*nowhere\.pem/.test(error.message))
  })
})

test('a bug, or a file or folder that is missing, is no problem of the database', () => {
  assert.equal(databaseProblem(new TypeError('x is not a function')), undefined)
  for (const syscall of ['open', 'scandir']) {
    const missing = Object.assign(new Error(`ENOENT: ${syscall}`), { code: 'ENOENT', syscall })
    assert.equal(databaseProblem(missing), undefined)
  }
})
