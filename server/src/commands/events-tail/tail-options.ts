import { parseArgs } from 'node:util'
import type { Config } from '../../config.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import { KINDS } from './change-lines.ts'

export type Register = { event: string; conditions?: { environmentSlug?: string; secretPath: string } }

export type TailOptions = {
  url: string
  /** Id or slug. */
  project: string
  register: Register[]
  credentials: Config['client']
}

const USAGE =
  'Usage: holdfast events tail --project <id or slug> [--environment <slug>] [--path <path or pattern>] [--events create,update,delete,import] [--url <address>]'
const EVERY_FOLDER = '/**'

/** What to watch, as whom and where. */
export const tailOptions = (args: string[], config: Pick<Config, 'siteUrl' | 'client'>): TailOptions => {
  const { project, environment, path, events, url = config.siteUrl } = readArguments(args)
  if (!project) throw new OperatorError(`Which project? ${USAGE}`)
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new OperatorError(`--url must be an address such as https://holdfast.example.com`)
  }
  const { token, clientId, clientSecret } = config.client
  if (token === undefined && (clientId === undefined || clientSecret === undefined)) {
    throw new OperatorError('Who is asking? Set HOLDFAST_TOKEN, or HOLDFAST_CLIENT_ID and HOLDFAST_CLIENT_SECRET')
  }
  const conditions =
    environment === undefined && path === undefined
      ? undefined
      : { ...(environment !== undefined && { environmentSlug: environment }), secretPath: path ?? EVERY_FOLDER }
  const register = eventNames(events).map((event) => ({ event, ...(conditions && { conditions }) }))
  return { url: url.replace(/\/+$/, ''), project, register, credentials: config.client }
}

const readArguments = (args: string[]) => {
  const text = { type: 'string' } as const
  try {
    const options = { project: text, environment: text, path: text, events: text, url: text }
    return parseArgs({ args, options }).values
  } catch (error) {
    throw new OperatorError(`${error instanceof Error ? error.message : String(error)}. ${USAGE}`, { cause: error })
  }
}

/** By the words that lines show, or by their names on the wire. */
const eventNames = (text: string | undefined): string[] => {
  if (text === undefined) return Object.keys(KINDS)
  const wanted = text.split(',').map((word) => word.trim())
  const names = wanted.map((word) => Object.keys(KINDS).find((name) => name === word || KINDS[name]?.word === word))
  const unknown = wanted.find((_, index) => names[index] === undefined)
  if (unknown !== undefined) throw new OperatorError(`--events: '${unknown}' is none of create, update, delete, import`)
  return [...new Set(names.filter((name) => name !== undefined))]
}
