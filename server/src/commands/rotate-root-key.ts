import type { Config } from '../config.ts'
import { rotateRootKey as rotate } from '../platform/crypto/root-key-rotation.ts'
import { joinInstallation, rootKeySettings, withInstallation } from './installation.ts'
import { Progress } from './progress.ts'

/** Replaces the root key while servers run. */
export const rotateRootKey = async (config: Config): Promise<void> => {
  const progress = new Progress()
  const report = (line: string) => progress.line(`  ${line}`)
  await withInstallation(joinInstallation(config, progress), ({ db }) =>
    rotate({ db, settings: rootKeySettings(config), report }),
  )
}
