import { badRequest, notFound } from '../../lib/app-error.ts'
import { newId } from '../../lib/uuid.ts'
import type { ChangeFeed } from '../../platform/changes/feed.ts'
import type { DataKey } from '../../platform/crypto/data-key.ts'
import type { Tx } from '../../platform/db/db.ts'
import { isUniqueViolation } from '../../platform/db/failures.ts'
import type { Actor } from '../permissions/actor.ts'
import type { ProjectDetails } from '../projects/projects.service.ts'
import { type Environment, noSuchFolder, type Place } from './places.service.ts'
import type { Secret, SecretContent } from './secret.ts'
import type { SecretBox } from './secret-box.ts'
import { personalNews, secretNews } from './secret-news.ts'
import * as store from './secrets.store.ts'

type Deps = { box: SecretBox; changes: ChangeFeed }
/** Where something is written, by whom, and sealed with what. */
export type Writing = { actor: Actor; project: ProjectDetails; environment: Environment; key: DataKey }
export type NewSecret = SecretContent & { key: string }
export type Located = Secret & { path: string }

/** Writes secrets, each change as a version of its own and with its news. Rights and records are the caller's business. */
export class SecretWriter {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** In one folder. Throws when one of the keys is taken. */
  async create(
    tx: Tx,
    writing: Writing,
    { path, userId, secrets }: { path: string; userId: string | null; secrets: readonly NewSecret[] },
  ): Promise<Secret[]> {
    const { project, environment, key } = writing
    const folderId = await store.lockFolder(tx, environment.id, path)
    if (folderId === undefined) throw noSuchFolder({ environment: environment.slug, path }, 'CreateSecret')
    const drafts = secrets.map((secret) => ({ ...secret, id: newId(), folderId, userId, version: 1 }))
    const place = placeOf(writing, { path, folderId })
    const sealed = drafts.map((draft) => this.#deps.box.seal(key, place, draft))
    const times = timesOf(await store.insert(tx, sealed, { ...writing, versionsMax: project.pitVersionLimit }))
    const taken = drafts.filter(({ id }) => !times.has(id))
    if (taken.length > 0) throw badRequest(`Secret already exists: ${taken.map((draft) => draft.key).join()}`)

    const keys = secrets.map((secret) => secret.key)
    const news = userId === null ? secretNews(place, 'secret-created', keys) : [personalNews(folderId)]
    await this.#deps.changes.append(tx, ...news)
    return drafts.map((draft) => ({ ...draft, ...writtenAt(times, draft.id) }))
  }

  /** Locks what is to be changed and opens it. Those that are not there are missing from the answer. */
  async lock(
    tx: Tx,
    { project, environment }: Pick<Writing, 'project' | 'environment'>,
    { userId, wanted }: { userId: string | null; wanted: readonly { path: string; key: string }[] },
  ): Promise<Located[]> {
    const rows = await store.lockByKeys(tx, { environmentId: environment.id, userId }, wanted)
    return this.#deps.box.open(tx, ownerOf(project), rows)
  }

  async lockByIds(tx: Tx, { project }: Pick<Writing, 'project'>, folderId: string, ids: readonly string[]) {
    return this.#deps.box.open(tx, ownerOf(project), await store.lockByIds(tx, folderId, ids))
  }

  /** Each becomes its next version. */
  async update(tx: Tx, writing: Writing, changes: readonly { before: Located; after: Located }[]): Promise<Located[]> {
    if (changes.length === 0) return []
    const { project, key } = writing
    const next = changes.map(({ before, after }) => ({ ...after, version: before.version + 1 }))
    const sealed = next.map((secret) => this.#deps.box.seal(key, ownerOf(project), secret))
    const written = await store
      .update(tx, sealed, { ...writing, versionsMax: project.pitVersionLimit })
      .catch((error: unknown) => {
        throw isUniqueViolation(error) ? badRequest('A secret with the new name already exists') : error
      })
    await this.#deps.changes.append(tx, ...byFolder(changes).flatMap((some) => this.#newsOfUpdates(writing, some)))
    const times = timesOf(written)
    return next.map((secret) => ({ ...secret, ...writtenAt(times, secret.id) }))
  }

  async delete(tx: Tx, writing: Writing, secrets: readonly Located[]): Promise<void> {
    const ids = secrets.map(({ id }) => id)
    await store.deleteByIds(tx, ids, { ...writing, versionsMax: writing.project.pitVersionLimit })
    const news = byFolder(secrets.map((before) => ({ before, after: before }))).flatMap((changes) => {
      const keys = changes.filter(({ before }) => before.userId === null).map(({ before }) => before.key)
      const [first] = changes
      if (!first) return []
      if (keys.length === 0) return [personalNews(first.before.folderId)]
      return secretNews(placeOf(writing, first.before), 'secret-deleted', keys)
    })
    await this.#deps.changes.append(tx, ...news)
  }

  /** A new name is told in every way, so that whoever listens for any of them learns of it. */
  #newsOfUpdates(writing: Writing, changes: readonly { before: Located; after: Located }[]) {
    const [first] = changes
    if (!first) return []
    if (first.before.userId !== null) return [personalNews(first.before.folderId)]
    const place = placeOf(writing, first.before)
    const renamed = changes.filter(({ before, after }) => before.key !== after.key)
    return [
      ...secretNews(
        place,
        'secret-deleted',
        renamed.map(({ before }) => before.key),
      ),
      ...secretNews(
        place,
        'secret-created',
        renamed.map(({ after }) => after.key),
      ),
      ...secretNews(
        place,
        'secret-updated',
        changes.map(({ after }) => after.key),
      ),
    ]
  }
}

const ownerOf = ({ id, organizationId }: ProjectDetails) => ({ projectId: id, organizationId })

const placeOf = (
  { project, environment }: Pick<Writing, 'project' | 'environment'>,
  { path, folderId }: { path: string; folderId: string },
): Place => ({
  ...ownerOf(project),
  environmentId: environment.id,
  environment: environment.slug,
  path,
  folderId,
  imports: [],
})

const byFolder = <Change extends { before: Located }>(changes: readonly Change[]): Change[][] => {
  const folders = new Map<string, Change[]>()
  for (const change of changes) {
    const some = folders.get(change.before.folderId)
    if (some) some.push(change)
    else folders.set(change.before.folderId, [change])
  }
  return [...folders.values()]
}

const timesOf = (written: readonly store.Written[]) => new Map(written.map((row) => [row.id, row]))

const writtenAt = (times: ReadonlyMap<string, store.Written>, id: string) => {
  const row = times.get(id)
  if (!row) throw new Error('A secret was not stored')
  return { createdAt: row.createdAt, updatedAt: row.updatedAt }
}

export const noSuchSecret = (name: string) => notFound(`Secret with name '${name}' not found`)
