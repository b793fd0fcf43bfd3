import { buildAll, explain, install, isInstalled, requireNode, step } from './prepare.mjs'

requireNode()
try {
  if (!isInstalled()) await step('installing packages', install)
  await step('building', buildAll)
} catch (error) {
  explain(error)
  process.exit(1)
}

const { main } = await import('../bench/dist/src/main.js')
await main(process.argv.slice(2))
