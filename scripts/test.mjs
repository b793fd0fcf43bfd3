import { spawn } from 'node:child_process'
import { globSync } from './glob.mjs'
import { buildAll, explain, install, isInstalled, requireNode, ROOT, run, step } from './prepare.mjs'

const CONCURRENCY = 2

const node = (...args) => run(process.execPath, args)

/** Everything but the tests themselves: quick to fail, and cheap. */
const check = async () => {
  if (!isInstalled()) await step('installing packages', install)
  await step('types', buildAll)
  await step('lint', () => node('node_modules/eslint/bin/eslint.js', '.', '--max-warnings', '0'))
  await step('format', () => node('node_modules/prettier/bin/prettier.cjs', '--check', '.', '--log-level', 'warn'))
}

/** The compiled twins of the test files, so that the twin of a deleted one is not run. */
const testFiles = (named) =>
  (named.length > 0 ? named : globSync(/\.test\.ts$/, ['server/src', 'server/test', 'e2e', 'bench'])).map((file) =>
    file.replace(/^(server|e2e|bench)\//, '$1/dist/').replace(/\.ts$/, '.js'),
  )

const runTests = (files, env) =>
  new Promise((resolve) => {
    const child = spawn(
      process.execPath,
      ['--test', `--test-concurrency=${CONCURRENCY}`, '--test-reporter=./scripts/test-reporter.mjs', ...files],
      { cwd: ROOT, stdio: 'inherit', env },
    )
    child.on('exit', (code) => resolve(code ?? 1))
  })

requireNode()
/** Named files are run alone, without the checks. */
const named = process.argv.slice(2)
let exitCode = 1
try {
  if (named.length > 0) await step('building', buildAll)
  else await check()
  const { startTestPostgres } = await import('../server/dist/test/start-test-postgres.js')
  const postgres = await step('PostgreSQL for the tests', startTestPostgres)
  try {
    const env = { ...process.env, HOLDFAST_TEST_POSTGRES_URL: postgres.url }
    if (named.length === 0)
      await step('generated files', () => run(process.execPath, ['server/dist/test/generate.js', '--check'], { env }))
    exitCode = await runTests(testFiles(named), env)
  } finally {
    await postgres.stop()
  }
} catch (error) {
  explain(error)
}
process.exit(exitCode)
