import type { Entered, Places, Spot } from './places.service.ts'
import { parseReferences } from './references.ts'
import type { Snapshots } from './snapshots.service.ts'
import { fieldsOf } from './visibility.ts'

type Deps = { places: Places; snapshots: Snapshots }

/** Nobody learns of a secret by referring to it: what a value names and is there, its writer must be allowed to know of. */
export const requireDescribable = async (
  { places, snapshots }: Deps,
  { project, ability }: Entered,
  { value, home }: { value: string; home: Spot },
): Promise<void> => {
  if (!value.includes('${')) return
  for (const part of parseReferences(value)) {
    if (typeof part === 'string') continue
    const spot = { environment: part.environment ?? home.environment, path: part.path ?? home.path }
    const place = await places.find(project, spot)
    const entry = place && (await snapshots.get(place)).find(part.key, { isPersonal: false })
    if (entry) await ability.require('describeSecret', 'secrets', fieldsOf(spot, entry))
  }
}
