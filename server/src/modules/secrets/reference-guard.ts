import type { Entered, Places, Spot } from './places.service.ts'
import { parseReferences } from './references.ts'
import type { Snapshots } from './snapshots.service.ts'
import { fieldsOf } from './visibility.ts'

type Deps = { places: Places; snapshots: Snapshots }

/**
 * Nobody learns of a secret by referring to it: what a value names its writer must be allowed to know of. In other folders
 * also what is not there, since a refusal would tell what is, and whoever refers to a folder is told when it changes.
 */
export const requireDescribable = async (
  { places, snapshots }: Deps,
  entered: Entered,
  { value, home }: { value: string; home: Spot },
): Promise<void> => {
  if (!value.includes('${')) return
  const references = new Map(
    parseReferences(value).flatMap((part) => (typeof part === 'string' ? [] : [[part.text, part]])),
  )
  for (const { key, environment = home.environment, path = home.path, project } of references.values()) {
    const there = project === undefined ? entered : await entered.elsewhere({ projectSlug: project })
    if (!there || !(await places.findEnvironment(there.project, environment))) continue
    const place = await places.find(there.project, { environment, path })
    const entry = place && (await snapshots.get(place)).find(key, { isPersonal: false })
    const isHome = there === entered && environment === home.environment && path === home.path
    if (!entry && isHome) continue
    const fields = fieldsOf({ environment, path }, entry ?? { key, tags: [] })
    await there.ability.require('describeSecret', 'secrets', fields)
  }
}
