import { build, canBuild, explain, install, isBuilt, isInstalled, requireNode, step } from './prepare.mjs'

requireNode()
try {
  const built = isBuilt()
  if (!isInstalled() || !(built || canBuild())) await step('installing packages', install)
  if (!built) await step('building', build)
} catch (error) {
  explain(error)
  process.exit(1)
}

// In this process: nothing stands between the terminal's signals and the server, and no second Node holds memory.
const { main } = await import('../server/dist/bundle/main.js')
await main(['serve', ...process.argv.slice(2)])
