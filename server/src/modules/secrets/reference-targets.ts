import { createHash } from 'node:crypto'
import { parseReferences } from './references.ts'

type Owner = { organizationId: string; projectId: string }
export type NamedFolder = Owner & { projectSlug: string; environment: string; path: string }

/** Stands for the folder in which the secret itself is. */
export const LOCAL = '00000000000000000000000000000000'
/** More references than that are not followed either. */
const TARGETS_MAX = 10_000

/**
 * The folders that a value names, hashed: what looks like a reference may well be a part of a password, and names have
 * no bound. Two that collide only cause news too many. The same is computed in SQL, see dependents.store.ts.
 */
export const targetsOf = (value: string, { organizationId, projectId }: Owner): string[] => {
  if (!value.includes('${')) return []
  const targets = new Set<string>()
  for (const part of parseReferences(value)) {
    if (typeof part === 'string' || targets.size === TARGETS_MAX) continue
    const { project, environment, path } = part
    if (environment === undefined || path === undefined) targets.add(LOCAL)
    else if (project === undefined) targets.add(hashed(`${projectId}/${environment}${path}`))
    else targets.add(hashed(`${organizationId}@${project}/${environment}${path}`))
  }
  return [...targets]
}

/** What values can call a folder: those of its own project, and those of others of the organization. */
export const namesOf = ({ organizationId, projectId, projectSlug, environment, path }: NamedFolder): string[] => [
  hashed(`${projectId}/${environment}${path}`),
  hashed(`${organizationId}@${projectSlug}/${environment}${path}`),
]

const hashed = (name: string): string => createHash('sha256').update(name).digest('hex').slice(0, LOCAL.length)
