const NAME = /^[A-Za-z0-9_-]+$/

export const ROOT = '/'
/** An index entry of PostgreSQL must hold it. */
const PATH_LENGTH_MAX = 2_000

export const isFolderName = (name: string): boolean => NAME.test(name)

/** With one slash in front and none behind; undefined for what no folder can have. */
export const parsePath = (text: string): string | undefined => {
  const path = tidyPath(text)
  if (path === ROOT) return path
  if (path.length > PATH_LENGTH_MAX) return undefined
  return path.slice(1).split('/').every(isFolderName) ? path : undefined
}

/** The same for a place that may well not exist. */
export const tidyPath = (text: string): string => {
  const rooted = text.startsWith('/') ? text : `/${text}`
  return rooted.length > 1 && rooted.endsWith('/') ? rooted.slice(0, -1) : rooted
}

export const childPath = (parent: string, name: string): string => (parent === ROOT ? `/${name}` : `${parent}/${name}`)

export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

export const parentPath = (path: string): string => path.slice(0, path.lastIndexOf('/')) || ROOT

/** `/`, `/a`, `/a/b` for `/a/b`. */
export const lineage = (path: string): string[] => (path === ROOT ? [ROOT] : [...lineage(parentPath(path)), path])

/** Everything below a folder, by the order of bytes: `from` included, `until` excluded. */
export const rangeBelow = (path: string): { from: string; until: string } => {
  const prefix = path === ROOT ? '' : path
  return { from: `${prefix}/`, until: `${prefix}0` }
}

/** `/a/b` seen from `/a` is `/b`, as the wire has it. */
export const relativeTo = (ancestor: string, path: string): string =>
  ancestor === ROOT ? path : path.slice(ancestor.length) || ROOT
