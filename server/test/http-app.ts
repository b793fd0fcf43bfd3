import { connect } from 'node:net'
import { pino } from 'pino'
import { bearerToken } from '../src/platform/http/authentication.ts'
import { createHttpServer, type HttpServerOptions } from '../src/platform/http/http-server.ts'
import type { HttpServer, Routes } from '../src/platform/http/route.ts'
import type { Actor } from '../src/platform/http/vocabulary.ts'

/** A server of the HTTP layer alone: any bearer token is an actor, whose id is the token. */
export const httpApp = async (routes: Routes, options: Partial<HttpServerOptions> = {}): Promise<HttpServer> => {
  const app = createHttpServer({
    logger: pino({ level: 'silent' }),
    authenticate: ({ headers }) => JSON.parse(JSON.stringify({ id: bearerToken(headers.authorization) })) as Actor,
    ...options,
  })
  void app.register(async (instance: HttpServer) => routes(instance))
  await app.ready()
  return app
}

/** A logger that remembers what it was told. */
export const recordingLogger = () => {
  const lines: string[] = []
  return { lines, logger: pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) }) }
}

export const listen = async (app: HttpServer): Promise<number> => {
  await app.listen({ port: 0, host: '127.0.0.1' })
  const address = app.server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port')
  return address.port
}

/** Sends bytes as they are and resolves with all that comes back until the server closes the connection. */
export const exchange = (port: number, ...chunks: (string | Buffer)[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let received = ''
    socket.setEncoding('latin1')
    socket.on('data', (text: string) => (received += text))
    socket.on('close', () => resolve(received))
    socket.on('error', (error) => (received === '' ? reject(error) : undefined))
    for (const chunk of chunks) socket.write(chunk)
  })

export const bodyOf = (response: string): Record<string, unknown> =>
  JSON.parse(response.slice(response.indexOf('\r\n\r\n') + 4)) as Record<string, unknown>
