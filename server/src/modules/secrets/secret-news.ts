import type { Change } from '../../platform/changes/change.ts'
import type { ChangeFeed } from '../../platform/changes/feed.ts'
import type { Tx } from '../../platform/db/db.ts'
import type { Dependent, Origin } from './dependents.store.ts'
import { contentScope, type Place, placeScope, viewScope } from './places.service.ts'

export type SecretChangeKind = 'secret-created' | 'secret-updated' | 'secret-deleted'

/** Keys of 500 characters, a hundred of them, fit into one record of the feed. */
const KEYS_AT_ONCE = 100
const CHANGES_AT_ONCE = 5_000

/** What followers learn of changed secrets of one folder: their names, never what they hold. */
export const secretNews = (place: Place, kind: SecretChangeKind, keys: readonly string[]): Change[] => {
  const news: Change[] = []
  for (let start = 0; start < keys.length; start += KEYS_AT_ONCE) {
    const body = { ...bodyOf(place), keys: keys.slice(start, start + KEYS_AT_ONCE) }
    news.push({ scope: contentScope(place.folderId), kind, body })
  }
  return news
}

/** Of interest to caches alone. */
export const personalNews = (folderId: string): Change => ({ scope: contentScope(folderId), kind: 'personal-secret' })

export const originOf = ({ environmentId, environment, path }: Place): Origin => ({ environmentId, environment, path })

/** Everything that one transaction has to tell, each folder that shows another told of it once. */
export class News {
  readonly #untold: Change[] = []
  readonly #views = new Set<string>()

  add(...changes: readonly Change[]): void {
    for (const change of changes) this.#untold.push(change)
  }

  /** Of a folder that now imports something else. */
  addImport(place: Place): void {
    this.#addView(place, { scope: placeScope(place.folderId), kind: 'import-mutated', body: bodyOf(place) })
  }

  /** Of folders that show something that has changed. */
  addDependents(found: readonly Dependent[]): void {
    for (const place of found) {
      this.#addView(place, { scope: viewScope(place.folderId), kind: 'import-mutated', body: bodyOf(place) })
    }
  }

  /** Some of what has not been told yet: as a rule all of it. */
  take(): Change[] {
    return this.#untold.splice(0, CHANGES_AT_ONCE)
  }

  /** What has not been told yet, while everything that it is about is locked. */
  async append(tx: Tx, feed: ChangeFeed): Promise<void> {
    for (let changes = this.take(); changes.length > 0; changes = this.take()) await feed.append(tx, ...changes)
  }

  #addView(place: Named, change: Change): void {
    const name = nameOf(place)
    if (this.#views.has(name)) return
    this.#views.add(name)
    this.#untold.push(change)
  }
}

type Named = Omit<Dependent, 'folderId' | 'names'>

const bodyOf = ({ organizationId, projectId, environment, path }: Named) => ({
  organizationId,
  projectId,
  environment,
  path,
})

const nameOf = ({ projectId, environment, path }: Named): string => `${projectId} ${environment} ${path}`
