import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { SECURITY_HEADERS } from './response-headers.ts'

const EVENT_STREAM_HEADERS = {
  ...SECURITY_HEADERS,
  'cache-control': 'no-cache',
  'content-type': 'text/event-stream',
  connection: 'keep-alive',
  // Else a proxy would collect what must arrive at once.
  'x-accel-buffering': 'no',
}
/** After this long without a word, a peer is asked whether it is still there. */
const KEEP_ALIVE_MS = 15_000

const streaming = new WeakSet<Socket>()

/**
 * Takes the connection over for good: sends the head of an event stream together with `first`, and gives the socket to
 * write further chunks to. Node keeps the response open, so that it neither reuses nor closes the connection.
 */
export const openStream = (request: FastifyRequest, reply: FastifyReply, first: Buffer): Socket => {
  const { socket } = request.raw
  reply.hijack()
  streaming.add(socket)
  socket.setNoDelay(true)
  socket.setKeepAlive(true, KEEP_ALIVE_MS)
  socket.cork()
  reply.raw.writeHead(200, { ...EVENT_STREAM_HEADERS, 'x-request-id': request.id })
  reply.raw.flushHeaders()
  socket.write(first)
  socket.uncork()
  return socket
}

/** Whether the request came behind a stream on its connection, where nobody will ever answer it. */
export const isBehindStream = ({ raw }: FastifyRequest): boolean => streaming.has(raw.socket)

/** One chunk of a response of unknown length (RFC 9112 7.1), the same bytes for every stream. */
export const chunkOf = (text: string): Buffer => Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`)
