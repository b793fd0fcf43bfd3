import { databaseProblem } from './commands/database-problem.ts'
import { stopSignal } from './commands/stop-signal.ts'
import { readConfig } from './config.ts'
import { AppError } from './lib/app-error.ts'
import { OperatorError } from './lib/operator-error.ts'

type Command = {
  usage?: string
  summary: string
  /** A number is the exit code. Each command is loaded when it is called. */
  run: (args: string[]) => Promise<unknown>
}

const COMMANDS: Record<string, Command> = {
  serve: {
    usage: '[--demo]',
    summary: 'start the server (what `npm start` does), with an example filled in if told so',
    run: async (args) => (await import('./commands/serve.ts')).serve(readConfig(), args),
  },
  migrate: {
    summary: 'bring the schema of the database up to date, without serving',
    run: async () => (await import('./commands/migrate.ts')).migrateOnly(readConfig()),
  },
  doctor: {
    summary: 'say what is wrong with the set-up and how to mend it',
    run: async () => (await import('./commands/doctor.ts')).doctor(readConfig),
  },
  'audit verify': {
    usage: '[head]',
    summary: 'find the first audit row that was edited or removed; a head printed earlier must still be there',
    run: async ([expect]) => {
      const { administer } = await import('./commands/administration.ts')
      const { auditVerify } = await import('./commands/audit-verify.ts')
      return administer(readConfig(), ({ foundation, write }) => auditVerify({ ...foundation, write, expect }))
    },
  },
  'admin reset-password': {
    usage: '<email>',
    summary: 'give a user a new password, read from standard input or made up, and end all of its sessions',
    run: async ([email]) => {
      const { administer } = await import('./commands/administration.ts')
      const { resetPassword } = await import('./commands/admin.ts')
      const readPassword = process.stdin.isTTY ? undefined : () => readAll(process.stdin)
      await administer(readConfig(), ({ services, write }) =>
        resetPassword({ ...services, write, readPassword }, email),
      )
    },
  },
  'license keygen': {
    usage: '<file>',
    summary: 'make the key that signs licences, and print the line by which servers trust it',
    run: async (args) => (await import('./commands/license.ts')).licenseKeygen({ write }, args),
  },
  'license issue': {
    usage: '--key <file> …',
    summary: "print a licence: --organization <id or '*'> --days <n> --licensee <name> [--seats <n>]",
    run: async (args) => (await import('./commands/license.ts')).licenseIssue({ write }, args),
  },
  'license inspect': {
    usage: '<licence or ->',
    summary: 'say what a licence says, and whether it would count here',
    run: async (args) => {
      const { licenseInspect } = await import('./commands/license.ts')
      const { publicKeys } = readConfig().license
      await licenseInspect({ write, readInput: () => readAll(process.stdin), publicKeys }, args)
    },
  },
  'license install': {
    usage: '<licence or ->',
    summary: 'put a licence into the database, for all servers at once',
    run: async (args) => {
      const { administer } = await import('./commands/administration.ts')
      const { licenseInstall } = await import('./commands/license.ts')
      const readInput = () => readAll(process.stdin)
      await administer(readConfig(), ({ services, write }) => licenseInstall({ ...services, write, readInput }, args))
    },
  },
  'events tail': {
    usage: '--project <slug>',
    summary: 'watch the changes of a project: [--environment] [--path] [--events] [--url]',
    run: async (args) => {
      const { tailEvents } = await import('./commands/events-tail/events-tail.ts')
      const { tailOptions } = await import('./commands/events-tail/tail-options.ts')
      const config = readConfig()
      const isColoured = process.stdout.isTTY && !config.isPlain
      await tailEvents(tailOptions(args, config), { write, notice, isColoured, signal: stopSignal() })
    },
  },
  'demo credentials': {
    summary: 'make a new client secret for the example of `serve --demo`, and print the commands that use it',
    run: async () => {
      const { administer } = await import('./commands/administration.ts')
      const { showCommands } = await import('./commands/demo.ts')
      const config = readConfig()
      await administer(config, ({ services, write }) => showCommands({ services, config, write }))
    },
  },
  'rotate-root-key': {
    summary: 'wrap all keys by the new root key, while servers run',
    run: async () => (await import('./commands/rotate-root-key.ts')).rotateRootKey(readConfig()),
  },
}

/** Runs one command. What a person must mend is one line and exit code 1; anything else is a bug and shows its stack. */
export const main = async (args: string[]): Promise<void> => {
  const name = Object.keys(COMMANDS).find((words) => `${args.join(' ')} `.startsWith(`${words} `))
  const command = name === undefined ? undefined : COMMANDS[name]
  if (name === undefined || !command) {
    explainUsage(args)
    return
  }
  try {
    const result = await command.run(args.slice(name.split(' ').length))
    process.exitCode = typeof result === 'number' ? result : 0
  } catch (error) {
    process.exitCode = 1
    process.stderr.write(`${describe(error)}\n`)
  }
}

const explainUsage = (args: string[]): void => {
  const isAsked = args.length === 0 || ['help', '--help', '-h'].includes(args[0] ?? '')
  const lines = Object.entries(COMMANDS).map(
    ([name, { usage = '', summary }]) => `  ${`${name} ${usage}`.padEnd(32)}${summary}`,
  )
  const help = ['Usage: npx holdfast <command>', '', ...lines, ''].join('\n')
  if (isAsked) process.stdout.write(help)
  else process.stderr.write(`holdfast: there is no command '${args.join(' ')}'\n\n${help}`)
  process.exitCode = isAsked ? 0 : 1
}

const describe = (error: unknown): string => {
  const problem = error instanceof OperatorError ? error.message : databaseProblem(error)?.advice
  if (problem !== undefined) return problem.replace(/^/gm, 'holdfast: ')
  if (error instanceof AppError) return `holdfast: ${error.message}`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

const write = (line: string): void => void process.stdout.write(`${line}\n`)

const notice = (line: string): void => void process.stderr.write(`${line}\n`)

const readAll = async (stream: AsyncIterable<Buffer>): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
