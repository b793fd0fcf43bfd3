import { badRequest, notFound } from '../../lib/app-error.ts'
import { newId } from '../../lib/uuid.ts'
import type { ChangeFeed } from '../../platform/changes/feed.ts'
import type { DataKey } from '../../platform/crypto/data-key.ts'
import type { Tx } from '../../platform/db/db.ts'
import { isUniqueViolation } from '../../platform/db/failures.ts'
import type { ProjectDetails } from '../projects/projects.service.ts'
import { lockTouched, type Touched } from './dependency-locks.ts'
import { type Environment, noSuchEnvironment, noSuchFolder, type Place } from './places.service.ts'
import { namesOf, targetsOf } from './reference-targets.ts'
import type { Secret, SecretContent } from './secret.ts'
import type { SecretBox } from './secret-box.ts'
import { News, originOf, personalNews, secretNews } from './secret-news.ts'
import * as writes from './secret-writes.store.ts'
import * as store from './secrets.store.ts'

type Deps = { box: SecretBox; changes: ChangeFeed }
/** Where something is written, by whom, and sealed with what. */
export type Writing = {
  actor: { type: string; id: string | null }
  project: ProjectDetails
  environment: Environment
  key: DataKey
}
/** What is written in one transaction tells its news together. */
export type Telling = Writing & { news: News }
export type NewSecret = SecretContent & { key: string }
export type Located = Secret & { path: string }
export type Change = { before: Located; after: Located }
type Wanted = { path: string; key: string; value?: string | undefined }

/** Writes secrets, each change as a version of its own and with its news. Rights and records are the caller's business. */
export class SecretWriter {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Runs `work`, which writes, and tells what it did. */
  async telling<W extends Writing, T>(tx: Tx, writing: W, work: (telling: W & { news: News }) => Promise<T>) {
    const news = new News()
    const result = await work({ ...writing, news })
    await news.append(tx, this.#deps.changes)
    return result
  }

  /** In one folder. Throws when one of the keys is taken. */
  async create(
    tx: Tx,
    telling: Telling,
    { path, userId, secrets }: { path: string; userId: string | null; secrets: readonly NewSecret[] },
  ): Promise<Secret[]> {
    const { environment, key, news } = telling
    const touched = touchedBy(telling, userId === null ? secrets.map(({ value }) => ({ path, value })) : [])
    const folderId = await store.lockFolder(tx, { environmentId: environment.id, path }, touched)
    if (folderId === undefined) throw noSuchFolder({ environment: environment.slug, path }, 'CreateSecret')
    const drafts = secrets.map((secret) => ({ ...secret, id: newId(), folderId, userId, version: 1 }))
    const place = placeOf(telling, { path, folderId })
    const sealed = drafts.map((draft) => this.#deps.box.seal(key, place, draft))
    const written = await writes.insert(tx, sealed, storing(telling, userId === null ? [place] : []))
    requireCurrent(telling, written)
    const times = timesOf(written)
    const taken = drafts.filter(({ id }) => !times.has(id))
    if (taken.length > 0) throw badRequest(`Secret already exists: ${taken.map((draft) => draft.key).join()}`)

    const keys = secrets.map((secret) => secret.key)
    news.add(...(userId === null ? secretNews(place, 'secret-created', keys) : [personalNews(folderId)]))
    news.addDependents(written.dependents)
    return drafts.map((draft) => ({ ...draft, ...writtenAt(times, draft.id) }))
  }

  /** Locks what is to be changed, to the given values, and opens it. Those that are not there are missing from the answer. */
  async lock(
    tx: Tx,
    writing: Writing,
    { userId, wanted }: { userId: string | null; wanted: readonly Wanted[] },
  ): Promise<Located[]> {
    const touched = touchedBy(writing, userId === null ? wanted : [])
    const keys = wanted.map(({ path, key }) => ({ path, key }))
    const rows = await store.lockByKeys(tx, { environmentId: writing.environment.id, userId, touched }, keys)
    return this.#deps.box.open(tx, ownerOf(writing.project), rows)
  }

  async lockByIds(tx: Tx, { project }: Pick<Writing, 'project'>, folderId: string, ids: readonly string[]) {
    return this.#deps.box.open(tx, ownerOf(project), await store.lockByIds(tx, folderId, ids))
  }

  /** For folders that are written to, and values that come to be in them. */
  async lockTouched(tx: Tx, writing: Writing, folders: readonly { path: string; value?: string }[]): Promise<void> {
    await lockTouched(tx, touchedBy(writing, folders))
  }

  /** Each becomes its next version. */
  async update(tx: Tx, telling: Telling, changes: readonly Change[]): Promise<Located[]> {
    if (changes.length === 0) return []
    const { project, key, news } = telling
    const next = changes.map(({ before, after }) => ({ ...after, version: before.version + 1 }))
    const sealed = next.map((secret) => this.#deps.box.seal(key, ownerOf(project), secret))
    const groups = byFolder(changes, ({ before }) => before)
    const places = groups.filter(({ isPersonal }) => !isPersonal).map(({ first }) => placeOf(telling, first.before))
    const written = await writes.update(tx, sealed, storing(telling, places)).catch((error: unknown) => {
      throw isUniqueViolation(error) ? badRequest('A secret with the new name already exists') : error
    })
    requireCurrent(telling, written)
    for (const { first, some, isPersonal } of groups) {
      const place = placeOf(telling, first.before)
      news.add(...(isPersonal ? [personalNews(place.folderId)] : newsOfUpdates(place, some)))
    }
    news.addDependents(written.dependents)
    const times = timesOf(written)
    return next.map((secret) => ({ ...secret, ...writtenAt(times, secret.id) }))
  }

  async delete(tx: Tx, telling: Telling, secrets: readonly Located[]): Promise<void> {
    const ids = secrets.map(({ id }) => id)
    const groups = byFolder(secrets, (secret) => secret)
    const places = groups.filter(({ isPersonal }) => !isPersonal).map(({ first }) => placeOf(telling, first))
    const written = await writes.deleteByIds(tx, ids, storing(telling, places))
    requireCurrent(telling, written)
    for (const { first, some, isPersonal } of groups) {
      const keys = some.map(({ key }) => key)
      const place = placeOf(telling, first)
      telling.news.add(...(isPersonal ? [personalNews(place.folderId)] : secretNews(place, 'secret-deleted', keys)))
    }
    telling.news.addDependents(written.dependents)
  }
}

const ownerOf = ({ id, organizationId }: ProjectDetails) => ({ projectId: id, organizationId })

const storing = ({ actor, project }: Writing, places: readonly Place[]) => ({
  actor,
  versionsMax: project.pitVersionLimit,
  origins: places.map(originOf),
})

/** Of folders in which everyone sees what is written. */
export const touchedBy = (
  { project, environment }: Pick<Writing, 'project' | 'environment'>,
  folders: readonly { path: string; value?: string | undefined }[],
): Touched => {
  const owner = ownerOf(project)
  const names = (path: string) => namesOf({ ...owner, projectSlug: project.slug, environment: environment.slug, path })
  return {
    organizationId: owner.organizationId,
    written: [...new Set(folders.map(({ path }) => path))].flatMap(names),
    dependedOn: folders.flatMap(({ value = '' }) => targetsOf(value, owner)),
  }
}

export const placeOf = (
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

/** Someone may have renamed or deleted the environment while this waited for its locks. */
const requireCurrent = ({ project, environment }: Writing, { areCurrent }: { areCurrent: boolean }): void => {
  if (!areCurrent) throw noSuchEnvironment(project, environment.slug)
}

/** A new name is told in every way, so that whoever listens for any of them learns of it. */
const newsOfUpdates = (place: Place, changes: readonly Change[]) => {
  const renamed = changes.filter(({ before, after }) => before.key !== after.key)
  const keysBefore = renamed.map(({ before }) => before.key)
  const keysAfter = renamed.map(({ after }) => after.key)
  const keys = changes.map(({ after }) => after.key)
  return [
    ...secretNews(place, 'secret-deleted', keysBefore),
    ...secretNews(place, 'secret-created', keysAfter),
    ...secretNews(place, 'secret-updated', keys),
  ]
}

type Group<T> = { first: T; some: T[]; isPersonal: boolean }

/** What is everyone's apart from what is someone's. */
const byFolder = <T>(items: readonly T[], of: (item: T) => Located): Group<T>[] => {
  const groups = new Map<string, Group<T>>()
  for (const item of items) {
    const { folderId, userId } = of(item)
    const isPersonal = userId !== null
    const name = `${folderId} ${isPersonal}`
    const group = groups.get(name)
    if (group) group.some.push(item)
    else groups.set(name, { first: item, some: [item], isPersonal })
  }
  return [...groups.values()]
}

const timesOf = ({ secrets }: writes.Written) => new Map(secrets.map((row) => [row.id, row]))

const writtenAt = (times: ReadonlyMap<string, { createdAt: Date; updatedAt: Date }>, id: string) => {
  const row = times.get(id)
  if (!row) throw new Error('A secret was not stored')
  return { createdAt: row.createdAt, updatedAt: row.updatedAt }
}

export const noSuchSecret = (name: string) => notFound(`Secret with name '${name}' not found`)
