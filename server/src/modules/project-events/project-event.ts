import { z } from 'zod'
import type { Change } from '../../platform/changes/change.ts'
import { chunkOf } from '../../platform/http/open-stream.ts'
import { type EventName, eventNameOf } from './event-names.ts'
import type { EventPlace } from './subscription-filter.ts'

/** One change as streams tell it: its bytes are made once, and are the same for everyone. */
export type ProjectEvent = EventPlace & {
  readonly projectId: string
  /** Of the last of its messages. Later events have higher ones. */
  readonly lastId: number
  readonly chunks: readonly Buffer[]
  readonly bytes: number
}

type News = EventPlace & { projectId: string; keys: readonly string[] }
type Item = { environment: string; secretPath: string; secretKey: string }

/** Clients read lines of at most 64 KiB. */
const DATA_BYTES_MAX = 59_000

const Body = z.object({
  projectId: z.string(),
  environment: z.string(),
  path: z.string(),
  keys: z.array(z.string()).default([]),
})

export const PING = chunkOf('event: ping\n\n')

export const errorChunk = (message: string): Buffer => chunkOf(`event: error\ndata: ${JSON.stringify({ message })}\n\n`)

/** Undefined for a change that no stream tells of. */
export const newsOf = ({ kind, body }: Change): News | undefined => {
  const name = eventNameOf(kind)
  return name && { name, ...Body.parse(body) }
}

/** `nextId` is asked once for each message that it takes. */
export const projectEventOf = ({ keys, ...news }: News, nextId: () => number): ProjectEvent => {
  let lastId = 0
  const chunks = payloadsOf(news, keys).map((payload) => {
    lastId = nextId()
    return chunkOf(`id: ${lastId}\nevent: ${news.name}\ndata: ${dataOf(news.name, payload)}\n\n`)
  })
  return { ...news, lastId, chunks, bytes: chunks.reduce((sum, { length }) => sum + length, 0) }
}

const dataOf = (eventType: EventName, payload: unknown): string =>
  JSON.stringify({ projectType: 'secret-manager', data: { eventType, payload } })

/** One for each message: a list of keys, cut where a line would grow too long. */
const payloadsOf = ({ name, environment, path: secretPath }: EventPlace, keys: readonly string[]): unknown[] => {
  if (name === 'secret:import-mutation') return [{ environment, secretPath }]
  const payloads: Item[][] = []
  let bytes = Infinity
  for (const secretKey of keys) {
    const item = { environment, secretPath, secretKey }
    const itemBytes = Buffer.byteLength(JSON.stringify(item)) + 1
    if (bytes + itemBytes > DATA_BYTES_MAX) {
      payloads.push([])
      bytes = 0
    }
    payloads.at(-1)?.push(item)
    bytes += itemBytes
  }
  return payloads
}
