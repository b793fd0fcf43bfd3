import { z } from 'zod'
import type { SseMessage } from './sse-parser.ts'

const Place = z.object({ environment: z.string(), secretPath: z.string(), secretKey: z.string().optional() })
const Change = z.object({ data: z.object({ payload: z.union([z.array(Place), Place]) }) })

const Reason = z.object({ message: z.string() })

export const KINDS: Record<string, { word: string; colour: number }> = {
  'secret:create': { word: 'create', colour: 32 },
  'secret:update': { word: 'update', colour: 33 },
  'secret:delete': { word: 'delete', colour: 31 },
  'secret:import-mutation': { word: 'import', colour: 36 },
}

// eslint-disable-next-line no-control-regex -- these are what it is about
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** A line for each secret that a message speaks of; none when it speaks of none. */
export const changeLines = (
  { event, data = '' }: SseMessage,
  { at, isColoured }: { at: Date; isColoured: boolean },
): string[] => {
  const kind = KINDS[event]
  const change = Change.safeParse(parse(data))
  if (!kind || !change.success) return []
  const paint = (text: string, colour: number) => (isColoured ? `\x1b[${colour}m${text}\x1b[0m` : text)
  const { payload } = change.data.data
  return (Array.isArray(payload) ? payload : [payload]).map(({ environment, secretPath, secretKey }) =>
    [
      paint(timeOf(at), 2),
      paint(kind.word, kind.colour),
      ...[environment, secretPath, ...(secretKey === undefined ? [] : [secretKey])].map(printable),
    ].join('  '),
  )
}

/** Why the server ends a stream. */
export const reasonOf = ({ data = '' }: SseMessage): string => {
  const reason = Reason.safeParse(parse(data))
  return reason.success ? printable(reason.data.message) : 'it does not say why'
}

/** In the time zone of whoever reads it. */
export const timeOf = (at: Date): string => {
  const two = (part: number) => String(part).padStart(2, '0')
  const day = [at.getFullYear(), at.getMonth() + 1, at.getDate()].map(two).join('-')
  return `${day} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')}`
}

/** What others have named must not speak to the terminal. */
export const printable = (text: string): string =>
  text.replace(UNPRINTABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
