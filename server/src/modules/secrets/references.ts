import { childPath, ROOT } from './folder-paths.ts'

/** Another secret that a value names: in the same folder, or with its environment and folder. */
export type Reference = { text: string; key: string; environment?: string; path?: string }
export type Part = string | Reference

const REFERENCE = /\$\{([A-Za-z0-9\-_.@]+)\}/g

export const hasReference = (value: string): boolean => value.includes('${') && value.search(REFERENCE) !== -1

/** The value cut at its references, in order: `${KEY}`, `${env.KEY}`, `${env.folder.KEY}`. */
export const parseReferences = (value: string): Part[] => {
  const parts: Part[] = []
  let end = 0
  for (const match of value.matchAll(REFERENCE)) {
    const reference = toReference(match[0], match[1] ?? '')
    if (!reference) continue
    parts.push(value.slice(end, match.index), reference)
    end = match.index + match[0].length
  }
  parts.push(value.slice(end))
  return parts.filter((part) => part !== '')
}

/** Undefined for what names nothing that can be: other projects, empty steps. */
const toReference = (text: string, inside: string): Reference | undefined => {
  const steps = inside.split('.')
  const key = steps.at(-1)
  if (!key || steps.includes('') || inside.startsWith('@')) return undefined
  const [environment] = steps
  if (steps.length === 1 || environment === undefined) return { text, key }
  return { text, key, environment, path: steps.slice(1, -1).reduce(childPath, ROOT) }
}
