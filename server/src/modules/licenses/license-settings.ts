import { readFileSync } from 'node:fs'
import { AppError } from '../../lib/app-error.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import { type License, trustedKeys, type TrustedKeys, verifyLicense } from './license.ts'

/** Where a licence comes from, as configured. */
export type LicenseSettings = {
  /** HOLDFAST_LICENSE */
  token?: string | undefined
  /** HOLDFAST_LICENSE_FILE */
  file?: string | undefined
  /** HOLDFAST_LICENSE_PUBLIC_KEYS */
  publicKeys: readonly string[]
}

/** The keys that are trusted and the licence that is configured. One that is wrong is for the operator to mend; one that has ended is not. */
export const loadLicense = (settings: LicenseSettings): { keys: TrustedKeys; license: License | undefined } => {
  const keys = trustedKeys(settings.publicKeys)
  const token = settings.token ?? (settings.file === undefined ? undefined : readFile(settings.file))
  if (token === undefined) return { keys, license: undefined }
  try {
    return { keys, license: verifyLicense(token.trim(), keys) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const name = settings.token === undefined ? 'HOLDFAST_LICENSE_FILE' : 'HOLDFAST_LICENSE'
    throw new OperatorError(`${name}: ${error.message}`, { cause: error })
  }
}

const readFile = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new OperatorError(`HOLDFAST_LICENSE_FILE: ${file} cannot be read`, { cause: error })
  }
}
