import type { LookupAddress } from 'node:dns'
import http, { type IncomingMessage, type RequestOptions } from 'node:http'
import https from 'node:https'
import type { LookupFunction } from 'node:net'

type Options = { addresses: LookupAddress[]; ca: string | undefined; signal: AbortSignal }

export type Received = { text: string; cacheControl: string | undefined }

const BYTES_MAX = 1_048_576

/** GET, over a connection of its own to one of these addresses and no other. Throws for anything but a plain 200. */
export const getText = async (url: URL, { addresses, ca, signal }: Options): Promise<Received> => {
  const response = await respond(url, {
    // A pooled connection could lead to an address that was checked for another request.
    agent: false,
    lookup: always(addresses),
    signal,
    // Compressed, a megabyte can be a gigabyte.
    headers: { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'Holdfast' },
    ...(ca !== undefined && { ca }),
  })
  try {
    requirePlain(response)
    return { text: await read(response), cacheControl: response.headers['cache-control'] }
  } finally {
    response.destroy()
  }
}

const respond = (url: URL, options: https.RequestOptions & RequestOptions): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const { request } = url.protocol === 'https:' ? https : http
    request(url, options)
      .on('response', resolve)
      .on('error', reject)
      // An answer that changes the protocol is neither of these.
      .on('close', () => reject(new Error('The connection was closed without an answer')))
      .end()
  })

/** In place of asking again, when the answer may be another. */
const always =
  (addresses: LookupAddress[]): LookupFunction =>
  (_host, { all }, answer) => {
    const [first] = addresses
    if (all === true) answer(null, addresses)
    else if (first) answer(null, first.address, first.family)
    else answer(new Error('No address'), '')
  }

const requirePlain = ({ statusCode, headers }: IncomingMessage): void => {
  if (statusCode !== 200) throw new Error(`The status is ${statusCode ?? 0}`)
  if (!['identity', undefined].includes(headers['content-encoding'])) throw new Error('The answer is compressed')
  if (Number(headers['content-length'] ?? 0) > BYTES_MAX) throw tooLarge()
}

const read = async (response: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > BYTES_MAX) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

const tooLarge = () => new Error(`The answer has more than ${BYTES_MAX} bytes`)
