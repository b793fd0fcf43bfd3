import type { Spot } from './places.service.ts'
import { parseReferences, writeReference } from './references.ts'

export type SecretName = Spot & { key: string }
/** A secret that is now called something else. */
export type Renaming = { from: SecretName; to: SecretName }

/** The value of a secret at `home` with its references to renamed secrets following them, as far as that can be written. */
export const rewritten = (value: string, home: Spot, renamings: readonly Renaming[]): string => {
  const found = new Map(renamings.map(({ from, to }) => [nameOf(from), to]))
  const texts = parseReferences(value).map((part) => {
    if (typeof part === 'string') return part
    const { environment = home.environment, path = home.path, key, project, text } = part
    const to = project === undefined ? found.get(nameOf({ environment, path, key })) : undefined
    if (!to) return text
    const isLocal = part.environment === undefined && to.environment === home.environment && to.path === home.path
    return writeReference(isLocal ? { key: to.key } : to) ?? text
  })
  return texts.join('')
}

const nameOf = ({ environment, path, key }: SecretName): string => `${environment} ${path} ${key}`
