import type { ProjectDetails } from '../projects/projects.service.ts'
import type { Place, Places } from './places.service.ts'
import type { Snapshot } from './snapshot.ts'
import type { Snapshots } from './snapshots.service.ts'

type Deps = { places: Places; snapshots: Snapshots }
type Member = { place: Place; snapshot: Snapshot }
/** One import with what it imports in turn, its own first. */
export type ImportBlock = { place: Place; members: readonly Member[] }

const DEPTH_MAX = 10

/** What a folder imports, by position. Each round of folders is asked for at once, however many there are. */
export const importBlocks = async (deps: Deps, project: ProjectDetails, importing: Place): Promise<ImportBlock[]> => {
  const sources = await sourcesOf(deps, project, importing)
  return Promise.all(
    sources.map(async (place) => ({ place, members: await follow(deps, project, { place, importing }) })),
  )
}

/** Round by round; a folder that was met already is not followed again. */
const follow = async (
  deps: Deps,
  project: ProjectDetails,
  { place, importing }: { place: Place; importing: Place },
): Promise<Member[]> => {
  const met = new Set([importing.folderId, place.folderId])
  const members: Member[] = []
  let round = [place]
  for (let depth = 1; round.length > 0 && depth <= DEPTH_MAX; depth++) {
    const snapshots = await Promise.all(round.map((one) => deps.snapshots.get(one)))
    round.forEach((one, index) => {
      const snapshot = snapshots[index]
      if (snapshot) members.push({ place: one, snapshot })
    })
    const next = (await Promise.all(round.map((one) => sourcesOf(deps, project, one)))).flat()
    round = next.filter(({ folderId }) => !met.has(folderId) && met.add(folderId))
  }
  return members
}

/** Those that are there: an environment may be waiting to be deleted, a folder not be made yet. */
const sourcesOf = async ({ places }: Deps, project: ProjectDetails, { imports }: Place): Promise<Place[]> => {
  const found = await Promise.all(
    imports.map(async ({ environmentId, path }) => {
      const environment = project.environments.find(({ id }) => id === environmentId)
      return environment && (await places.findIn(project, environment, path))
    }),
  )
  return found.filter((place) => place !== undefined)
}
