import { ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { newRequestId } from './request-id.ts'
import { JSON_TYPE, SECURITY_HEADERS } from './response-headers.ts'

type Refusal = { status: number; error: string; message: string }

const MALFORMED: Refusal = { status: 400, error: 'BadRequest', message: 'The request is not valid HTTP' }
const REFUSALS: Partial<Record<string, Refusal>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, error: 'RequestTimeout', message: 'The request took too long to arrive' },
  HPE_HEADER_OVERFLOW: {
    status: 431,
    error: 'HeadersTooLarge',
    message: 'The headers are larger than the server accepts',
  },
}
const NOT_A_PROXY: Refusal = { status: 405, error: 'MethodNotAllowed', message: 'This server is no proxy' }

const NOT_MET: Refusal = { status: 417, error: 'ExpectationFailed', message: 'Only 100-continue may be expected' }

/** For what never becomes a request: answers on the bare socket, in the same form as everywhere, and closes it. */
export const answerClientError = (error: Error & { code?: string }, socket: Duplex): void => {
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
    socket.destroy()
    return
  }
  endWith(REFUSALS[error.code ?? ''] ?? MALFORMED, socket)
}

/** A second answer in the middle of the first would be read as part of it. Node keeps the response here while it is open. */
const isAnswering = (socket: Duplex): boolean => {
  const response: unknown = Reflect.get(socket, '_httpMessage')
  return response instanceof ServerResponse && response.headersSent
}

/** Node drops a CONNECT without an answer unless someone listens for it. */
export const answerConnect = (socket: Duplex): void => {
  endWith(NOT_A_PROXY, socket)
}

/** Node would answer without a body. */
export const answerExpectation = (socket: Duplex): void => {
  if (isAnswering(socket)) socket.destroy()
  else endWith(NOT_MET, socket)
}

const endWith = ({ status, error, message }: Refusal, socket: Duplex): void => {
  const reqId = newRequestId()
  const body = JSON.stringify({ reqId, statusCode: status, message, error })
  const headers = {
    ...SECURITY_HEADERS,
    'x-request-id': reqId,
    'content-type': JSON_TYPE,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.on('error', () => socket.destroy())
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
}
