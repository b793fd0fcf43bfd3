import { buildAll, explain, install, isInstalled, requireNode, run, step } from './prepare.mjs'

requireNode()
try {
  if (!isInstalled()) await step('installing packages', install)
  await step('building', buildAll)
  const { startTestPostgres } = await import('../server/dist/test/start-test-postgres.js')
  const postgres = await startTestPostgres()
  try {
    const env = { ...process.env, HOLDFAST_TEST_POSTGRES_URL: postgres.url }
    await step('writing generated files', () => run(process.execPath, ['server/dist/test/generate.js'], { env }))
  } finally {
    await postgres.stop()
  }
} catch (error) {
  explain(error)
  process.exitCode = 1
}
