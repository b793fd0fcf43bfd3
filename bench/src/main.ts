import { runGrowth } from './growth/run-growth.ts'
import { type Options, readOptions, USAGE, UsageError } from './options.ts'
import { runProfile } from './profile/run-profile.ts'
import { run } from './run.ts'

const print = (line: string): void => void process.stdout.write(`${line}\n`)

/** Ends in order when interrupted: what was started is stopped, and what was made is removed. */
const interruption = (): AbortSignal => {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => controller.abort(new Error(`interrupted by ${signal}`)))
  return controller.signal
}

const perform = (options: Options, signal: AbortSignal): Promise<void> => {
  switch (options.mode) {
    case 'growth':
      return runGrowth(options, print, signal)
    case 'profile':
      return runProfile(options, print, signal)
    case 'run':
      return run(options, { print, signal })
  }
}

export const main = async (args: string[]): Promise<void> => {
  const signal = interruption()
  try {
    const options = readOptions(args)
    if (options) await perform(options, signal)
    else print(USAGE)
  } catch (error) {
    process.exitCode = 1
    process.stderr.write(`${explain(error, signal)}\n`)
  }
}

const explain = (error: unknown, signal: AbortSignal): string => {
  if (signal.aborted) return '\nbench: interrupted'
  if (error instanceof UsageError) return `bench: ${error.message}\n\n${USAGE}`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
