import type { Change } from '../../platform/changes/change.ts'
import { contentScope, type Place, placeScope } from './places.service.ts'

export type SecretChangeKind = 'secret-created' | 'secret-updated' | 'secret-deleted'

/** Keys of 500 characters, a hundred of them, fit into one record of the feed. */
const KEYS_AT_ONCE = 100

/** What followers learn of changed secrets of one folder: their names, never what they hold. */
export const secretNews = (place: Place, kind: SecretChangeKind, keys: readonly string[]): Change[] => {
  const news: Change[] = []
  for (let start = 0; start < keys.length; start += KEYS_AT_ONCE) {
    news.push(newsOf(place, kind, { keys: keys.slice(start, start + KEYS_AT_ONCE) }))
  }
  return news
}

export const importNews = (place: Place): Change => ({
  ...newsOf(place, 'import-mutated'),
  scope: placeScope(place.folderId),
})

/** Of interest to caches alone. */
export const personalNews = (folderId: string): Change => ({ scope: contentScope(folderId), kind: 'personal-secret' })

const newsOf = (
  { organizationId, projectId, environment, path, folderId }: Place,
  kind: string,
  more: { keys?: string[] } = {},
): Change => ({
  scope: contentScope(folderId),
  kind,
  body: { organizationId, projectId, environment, path, ...more },
})
