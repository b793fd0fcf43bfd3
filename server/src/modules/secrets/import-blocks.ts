import { AppError } from '../../lib/app-error.ts'
import type { Ability, Entered, Environment, Place, Places } from './places.service.ts'
import type { Snapshot } from './snapshot.ts'
import type { Snapshots } from './snapshots.service.ts'

type Deps = { places: Places; snapshots: Snapshots }
type Importing = { place: Place; entered: Entered }
type Source = Importing & { environment: Environment }
/** `ability` is that in the project of the place. */
type Member = { place: Place; snapshot: Snapshot; ability: Ability }
/** One import with what it imports in turn, its own first. */
export type ImportBlock = { place: Place; environment: Environment; members: readonly Member[] }

const DEPTH_MAX = 10

/** What a folder imports, by position. Each round of folders is asked for at once, however many there are. */
export const importBlocks = async (deps: Deps, entered: Entered, importing: Place): Promise<ImportBlock[]> => {
  const sources = await sourcesOf(deps, { place: importing, entered })
  return Promise.all(
    sources.map(async (source) => ({
      place: source.place,
      environment: source.environment,
      members: await follow(deps, source, importing),
    })),
  )
}

/** Round by round; a folder that was met already is not followed again. */
const follow = async (deps: Deps, source: Source, importing: Place): Promise<Member[]> => {
  const met = new Set([importing.folderId, source.place.folderId])
  const members: Member[] = []
  let round = [source]
  for (let depth = 1; round.length > 0 && depth <= DEPTH_MAX; depth++) {
    const snapshots = await Promise.all(round.map(({ place }) => deps.snapshots.get(place)))
    round.forEach(({ place, entered }, index) => {
      const snapshot = snapshots[index]
      if (snapshot) members.push({ place, snapshot, ability: entered.ability })
    })
    const next = (await Promise.all(round.map((one) => sourcesOf(deps, one)))).flat()
    round = next.filter(({ place: { folderId } }) => !met.has(folderId) && met.add(folderId))
  }
  return members
}

/** Those that are there and not of strangers: an environment may be waiting to be deleted, a folder not be made yet. */
const sourcesOf = async ({ places }: Deps, { place: { imports }, entered }: Importing): Promise<Source[]> => {
  const found = await Promise.all(
    imports.map(async ({ projectId, environmentId, path }) => {
      const there = projectId === entered.project.id ? entered : await entered.elsewhere({ projectId }).catch(orNone)
      const environment = there?.project.environments.find(({ id }) => id === environmentId)
      const place = there && environment && (await places.findIn(there.project, environment, path))
      return place && { place, environment, entered: there }
    }),
  )
  return found.filter((source) => source !== undefined)
}

/** Someone who is not in a project sees the folders that import from it without that. */
const orNone = (error: unknown): undefined => {
  if (error instanceof AppError && error.kind === 'forbidden') return undefined
  throw error
}
