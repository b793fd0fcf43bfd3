import { parseArgs } from 'node:util'
import { FIGURE_CASES, REQUEST_CASES } from './cases/all-cases.ts'
import type { Pace } from './meter.ts'
import type { Credentials } from './tenant.ts'

/** What a person asked for in a way that cannot be done: told in one line. */
export class UsageError extends Error {}

export type Mode = 'run' | 'growth' | 'profile'

export type Options = {
  mode: Mode
  pace: Pace
  isQuick: boolean
  /** Those whose name begins with one of these; empty means all. */
  cases: readonly string[]
  connections: readonly number[] | undefined
  /** A server that is in use, instead of one of our own. */
  url: string | undefined
  credentials: Credentials | undefined
}

export const USAGE = `Usage: npm run bench -- [options]

  --quick                 shorter runs
  --case <name>           only the cases whose name begins so; may be repeated
  --connections <n,n>     instead of 16 (login: 1, 16 and 64)
  --seconds <n>           length of one run
  --growth                how the cost of a request grows with the data beside it
  --profile <case>        where the server's time goes in one case
  --url <address>         a server that runs already, with one of
    --token <token>       an access token of a machine identity that administers its organization
    --client-id <id> --client-secret <secret>

Cases: ${[...FIGURE_CASES, ...REQUEST_CASES].map(({ name }) => name).join(', ')}
`

const PACE: Pace = { repeats: 3, seconds: 5, warmUpSeconds: 2 }
const QUICK_PACE: Pace = { repeats: 3, seconds: 1, warmUpSeconds: 0.5 }
const SECONDS_MAX = 60
const CONNECTIONS_MAX = 1_000

/** Undefined when only help was asked for. */
export const readOptions = (args: string[]): Options | undefined => {
  const values = parse(args)
  if (values.help) return undefined
  const pace = values.quick ? QUICK_PACE : PACE
  const seconds = values.seconds === undefined ? pace.seconds : readNumber('--seconds', values.seconds, SECONDS_MAX)
  return {
    mode: values.profile !== undefined ? 'profile' : values.growth ? 'growth' : 'run',
    pace: { ...pace, seconds, warmUpSeconds: Math.min(pace.warmUpSeconds, seconds) },
    isQuick: values.quick ?? false,
    cases: (values.profile === undefined ? (values.case ?? []) : [values.profile]).map(knownCase),
    connections: values.connections
      ?.split(',')
      .map((text) => Math.ceil(readNumber('--connections', text, CONNECTIONS_MAX))),
    url: values.url,
    credentials: readCredentials(values),
  }
}

const parse = (args: string[]) => {
  try {
    return parseArgs({
      args,
      options: {
        quick: { type: 'boolean' },
        growth: { type: 'boolean' },
        profile: { type: 'string' },
        case: { type: 'string', multiple: true },
        connections: { type: 'string' },
        seconds: { type: 'string' },
        url: { type: 'string' },
        token: { type: 'string' },
        'client-id': { type: 'string' },
        'client-secret': { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

const readNumber = (name: string, text: string, max: number): number => {
  const number = Number(text)
  if (!(number > 0 && number <= max)) throw new UsageError(`${name} must be a number above 0 and up to ${max}`)
  return number
}

const knownCase = (start: string): string => {
  if ([...FIGURE_CASES, ...REQUEST_CASES].some(({ name }) => name.startsWith(start))) return start
  throw new UsageError(`there is no case '${start}'`)
}

const readCredentials = ({
  token,
  'client-id': clientId,
  'client-secret': clientSecret,
}: ReturnType<typeof parse>): Credentials | undefined => {
  if (token !== undefined) return { token }
  if (clientId !== undefined && clientSecret !== undefined) return { clientId, clientSecret }
  return undefined
}

/** Whether a case was asked for. */
export const isSelected = ({ cases }: Options, { name }: { name: string }): boolean =>
  cases.length === 0 || cases.some((start) => name.startsWith(start))
