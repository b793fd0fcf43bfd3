import { childPath, ROOT } from './folder-paths.ts'

/**
 * Another secret that a value names: in the same folder, with its environment and folder, or with the slug of its
 * project too.
 */
export type Reference = { text: string; key: string; environment?: string; path?: string; project?: string }
export type Part = string | Reference

const REFERENCE = /\$\{([A-Za-z0-9\-_.@]+)\}/g
const NAMEABLE = /^[A-Za-z0-9\-_@]+$/

export const hasReference = (value: string): boolean => value.includes('${') && value.search(REFERENCE) !== -1

/** The value cut at its references, in order: `${KEY}`, `${env.KEY}`, `${env.folder.KEY}`, `${@project.env.folder.KEY}`. */
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

/** Undefined for a key that no reference can name. */
export const writeReference = ({ key, environment, path }: Omit<Reference, 'text'>): string | undefined => {
  if (!NAMEABLE.test(key) || key.startsWith('@')) return undefined
  if (environment === undefined || path === undefined) return `\${${key}}`
  return `\${${[environment, ...path.split('/').filter((step) => step !== ''), key].join('.')}}`
}

/** Undefined for what names nothing that can be: a project without an environment, empty steps. */
const toReference = (text: string, inside: string): Reference | undefined => {
  const steps = inside.split('.')
  const project = inside.startsWith('@') ? steps.shift()?.slice(1) : undefined
  const key = steps.at(-1)
  if (!key || project === '' || steps.includes('')) return undefined
  const [environment] = steps
  const isLocal = steps.length === 1 || environment === undefined
  if (isLocal) return project === undefined ? { text, key } : undefined
  const path = steps.slice(1, -1).reduce(childPath, ROOT)
  return { text, key, environment, path, ...(project !== undefined && { project }) }
}
