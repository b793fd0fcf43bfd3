import type { Entered, Places, Spot } from './places.service.ts'
import { parseReferences } from './references.ts'
import type { Snapshots } from './snapshots.service.ts'
import { fieldsOf } from './visibility.ts'

type Deps = { places: Places; snapshots: Snapshots }

/** Nobody learns of a secret by referring to it: what a value names and is there, its writer must be allowed to know of. */
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
    const place = there && (await places.find(there.project, { environment, path }))
    const entry = place && (await snapshots.get(place)).find(key, { isPersonal: false })
    if (entry) await there.ability.require('describeSecret', 'secrets', fieldsOf({ environment, path }, entry))
  }
}
