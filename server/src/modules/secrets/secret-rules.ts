import { badRequest } from '../../lib/app-error.ts'
import type { ProjectDetails } from '../projects/projects.service.ts'
import type { MetadataItem } from './secret.ts'

/** What the wire and the project demand of the names of secrets. */
export const requireKey = ({ autoCapitalization }: ProjectDetails, key: string): void => {
  const fault = faultOfKey(key)
  if (fault !== undefined) throw badRequest(fault)
  if (!autoCapitalization || key === key.toUpperCase()) return
  throw badRequest('The name of the secret must be in UPPERCASE: the settings of the project demand it')
}

/** What a project demands of their metadata. */
export const requireMetadata = (
  { enforceEncryptedMetadata }: ProjectDetails,
  metadata: readonly MetadataItem[],
): void => {
  if (!enforceEncryptedMetadata || metadata.every(({ isEncrypted }) => isEncrypted)) return
  throw badRequest('The metadata of the secret must be encrypted: the settings of the project demand it')
}

/** At both ends, except that a line break at the very end stays one. */
export const trimValue = (value: string): string => (value.endsWith('\n') ? `${value.trim()}\n` : value.trim())

const KEY_LENGTH_MAX = 500

/** What is wrong with the name of a new secret, if anything. */
export const faultOfKey = (key: string): string | undefined => {
  if (key === '' || key.length > KEY_LENGTH_MAX) return `Secret name must have 1 to ${KEY_LENGTH_MAX} characters.`
  if (/[:/]/.test(key)) return 'Secret name cannot contain colon or forward slash.'
  return key.includes('\0') ? 'Secret name cannot contain a NUL character.' : undefined
}
