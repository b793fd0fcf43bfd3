import { build, explain, install, isBuilt, isInstalled, requireNode, step } from './prepare.mjs'

requireNode()
try {
  if (!isInstalled()) await step('installing packages', install)
  if (!isBuilt()) await step('building', build)
} catch (error) {
  explain(error)
  process.exit(1)
}

// In this process: nothing stands between the terminal's signals and the server, and no second Node holds memory.
const { main } = await import('../server/dist/bundle/main.js')
await main(['serve', ...process.argv.slice(2)])
