import type { Config } from '../config.ts'
import { rotateRootKey as rotate } from '../platform/crypto/root-key-rotation.ts'
import { joinInstallation, rootKeySettings } from './installation.ts'
import { Progress } from './progress.ts'

/** Replaces the root key while servers run. */
export const rotateRootKey = async (config: Config): Promise<void> => {
  const progress = new Progress()
  const installation = await joinInstallation(config, progress)
  try {
    const report = (line: string) => progress.line(`  ${line}`)
    await rotate({ db: installation.db, settings: rootKeySettings(config), report })
  } finally {
    await installation.close()
  }
}
