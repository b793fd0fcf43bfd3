import type { Tx } from '../../platform/db/db.ts'
import type { Place, Spot } from './places.service.ts'
import { listNamed } from './secrets.store.ts'
import { fieldsOf } from './visibility.ts'

type Fields = ReturnType<typeof fieldsOf>
type Turn = { branch: readonly { place: Place }[]; folder: { path: string }; to: Spot }

/** Each secret of a branch of folders, in the words of rules: where it is, and where it comes to be with the branch. */
export const listMoved = async (tx: Tx, { branch, folder, to }: Turn): Promise<{ before: Fields; after: Fields }[]> => {
  const places = new Map(branch.map(({ place }) => [place.folderId, place]))
  return (await listNamed(tx, [...places.keys()])).flatMap(({ folderId, key, tags }) => {
    const from = places.get(folderId)
    if (!from) return []
    const path = to.path + from.path.slice(folder.path.length)
    const after = fieldsOf({ environment: to.environment, path }, { key, tags })
    return [{ before: fieldsOf(from, { key, tags }), after }]
  })
}
