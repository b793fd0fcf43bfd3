import { badRequest } from '../../lib/app-error.ts'
import type { Tx } from '../../platform/db/db.ts'
import type { Place, Spot } from './places.service.ts'
import type { Rights } from './rights.ts'
import { listNamed, listNamedEver } from './secrets.store.ts'
import { fieldsOf } from './visibility.ts'

type Fields = ReturnType<typeof fieldsOf>
type Moved = { before: Fields; after: Fields }
type Turn = { branch: readonly { place: Place }[]; folder: { path: string }; to: Spot }

/** By name and tags, with those that are gone: about a second of work. */
const JUDGED_MAX = 100_000

/** Each secret of a branch of folders, in the words of rules: where it is, and where it comes to be with the branch. */
export const listMoved = async (tx: Tx, turn: Turn): Promise<Moved[]> =>
  movedOf(turn, await listNamed(tx, folderIdsOf(turn)))

/** Nobody brings folders to a place where they may read what is kept from them, be it only in what was there once. */
export const requireUncoversNothing = async (tx: Tx, rights: Rights, turn: Turn): Promise<void> => {
  if (!rights.areConditional) return
  const secrets = await listNamedEver(tx, folderIdsOf(turn), JUDGED_MAX + 1)
  if (secrets.length > JUDGED_MAX) {
    throw badRequest(`More than ${JUDGED_MAX} secrets are or were there: somebody without conditions has to do this`)
  }
  for (const { before, after } of movedOf(turn, secrets)) rights.requireUncoversNothing(before, after)
}

const folderIdsOf = ({ branch }: Turn): string[] => branch.map(({ place }) => place.folderId)

const movedOf = ({ branch, folder, to }: Turn, secrets: Awaited<ReturnType<typeof listNamed>>): Moved[] => {
  const places = new Map(branch.map(({ place }) => [place.folderId, place]))
  return secrets.flatMap(({ folderId, key, tags }) => {
    const from = places.get(folderId)
    if (!from) return []
    const path = to.path + from.path.slice(folder.path.length)
    const after = fieldsOf({ environment: to.environment, path }, { key, tags })
    return [{ before: fieldsOf(from, { key, tags }), after }]
  })
}
