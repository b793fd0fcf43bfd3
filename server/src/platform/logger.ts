import { type Logger, pino } from 'pino'

const CAUSES_MAX = 5

/** Structured lines on standard output. What could hold a credential is never handed to it. */
export const createLogger = (level: string, destination?: pino.DestinationStream): Logger =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (error: unknown) => describeError(error) },
    },
    destination ?? pino.destination(1),
  )

/** What may be logged of an error. Other properties, such as a database error's `detail`, can hold values of rows. */
export const describeError = (error: unknown, depth = 0): object => {
  if (!(error instanceof Error)) return { type: typeof error }
  const facts: Record<string, unknown> = { type: error.name, message: error.message, stack: error.stack }
  for (const key of ['code', 'table', 'constraint', 'paths']) if (key in error) facts[key] = Reflect.get(error, key)
  if (error.cause !== undefined && depth < CAUSES_MAX) facts['cause'] = describeError(error.cause, depth + 1)
  return facts
}
