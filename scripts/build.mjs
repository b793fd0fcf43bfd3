import { buildAll, explain, install, isInstalled, requireNode, step } from './prepare.mjs'

requireNode()
try {
  if (!isInstalled()) await step('installing packages', install)
  await step('building', buildAll)
} catch (error) {
  explain(error)
  process.exitCode = 1
}
