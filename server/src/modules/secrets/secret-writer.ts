import { AppError, notFound } from '../../lib/app-error.ts'
import { newId } from '../../lib/uuid.ts'
import type { ChangeFeed } from '../../platform/changes/feed.ts'
import type { DataKey } from '../../platform/crypto/data-key.ts'
import type { Tx } from '../../platform/db/db.ts'
import type { ProjectDetails } from '../projects/projects.service.ts'
import { lockTouched, type Touched } from './dependency-locks.ts'
import { type Environment, noSuchEnvironment, noSuchFolder, type Place } from './places.service.ts'
import { namesOf, targetsOf } from './reference-targets.ts'
import type { Secret, SecretContent } from './secret.ts'
import type { SecretBox } from './secret-box.ts'
import { News, personalNews, secretNews } from './secret-news.ts'
import * as writes from './secret-writes.store.ts'
import * as store from './secrets.store.ts'
import { type Standing, standingForNew, standingOf } from './standing.store.ts'

type Deps = { box: SecretBox; changes: ChangeFeed }
/** Where something is written, by whom, and sealed with what. */
export type Writing = {
  actor: { type: string; id: string | null }
  project: ProjectDetails
  environment: Environment
  key: DataKey
}
/** What is written in one transaction, with what it has told. */
export type Telling = Writing & { news: News }
export type NewSecret = SecretContent & { key: string }
export type Located = Secret & { path: string }
export type Change = { before: Located; after: Located }
type Wanted = { path: string; key: string; value?: string | undefined }

/** Of secrets that were to be created. */
export class NamesTaken extends AppError {
  constructor(names: readonly string[]) {
    super('bad-request', `Secret already exists: ${names.join()}`)
  }
}

/** Writes secrets, each change as a version of its own and with its news. Rights and records are the caller's business. */
export class SecretWriter {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** In one folder. Throws when one of the keys is taken. */
  async create(
    tx: Tx,
    telling: Telling,
    { path, userId, secrets }: { path: string; userId: string | null; secrets: readonly NewSecret[] },
  ): Promise<Secret[]> {
    const { environment, key, news } = telling
    const isPersonal = userId !== null
    const home = { environmentId: environment.id, path }
    const touched = touchedBy(telling, isPersonal ? [] : secrets.map(({ value }) => ({ path, value })))
    const keys = secrets.map((secret) => secret.key)
    const origins = isPersonal ? [] : [{ ...home, environment: environment.slug }]
    const [folderId, standing] = await Promise.all([
      store.lockFolder(tx, home, touched),
      standingForNew(tx, origins, { ...home, userId, keys }),
    ])
    if (folderId === undefined) throw noSuchFolder({ environment: environment.slug, path }, 'CreateSecret')
    requireCurrent(telling, standing)
    if (standing.taken.length > 0) throw new NamesTaken(standing.taken)

    const place = placeOf(telling, { path, folderId })
    const drafts = secrets.map((secret) => ({ ...secret, id: newId(), folderId, userId, version: 1 }))
    const sealed = drafts.map((draft) => this.#deps.box.seal(key, place, draft))
    news.add(...(isPersonal ? [personalNews(folderId)] : secretNews(place, 'secret-created', keys)))
    news.addDependents(standing.dependents)
    await this.#write(tx, telling, (writing) => writes.insert(tx, sealed, writing))
    return drafts.map((draft) => ({ ...draft, createdAt: standing.at, updatedAt: standing.at }))
  }

  /** Locks what is to be changed, to the given values, and opens it. Those that are not there are missing from the answer. */
  async lock(
    tx: Tx,
    writing: Writing,
    { userId, wanted }: { userId: string | null; wanted: readonly Wanted[] },
  ): Promise<{ secrets: Located[]; standing: Standing }> {
    const shared = userId === null ? wanted : []
    const home = { environmentId: writing.environment.id, userId, touched: touchedBy(writing, shared) }
    const keys = wanted.map(({ path, key }) => ({ path, key }))
    // They travel together, and are done one after the other.
    const [rows, standing] = await Promise.all([
      store.lockByKeys(tx, home, keys),
      this.standing(
        tx,
        writing,
        shared.map(({ path }) => path),
      ),
    ])
    return { secrets: await this.#deps.box.open(tx, ownerOf(writing.project), rows), standing }
  }

  async lockByIds(tx: Tx, { project }: Pick<Writing, 'project'>, folderId: string, ids: readonly string[]) {
    return this.#deps.box.open(tx, ownerOf(project), await store.lockByIds(tx, folderId, ids))
  }

  /** For folders that are written to, and values that come to be in them. */
  async lockTouched(tx: Tx, writing: Writing, folders: readonly { path: string; value?: string }[]): Promise<void> {
    await lockTouched(tx, touchedBy(writing, folders))
  }

  /** Of folders that are locked, and in which everyone sees what is written. Throws when their environment is another now. */
  async standing(tx: Tx, writing: Writing, paths: readonly string[]): Promise<Standing> {
    const { id: environmentId, slug: environment } = writing.environment
    const origins = [...new Set(paths)].map((path) => ({ environmentId, environment, path }))
    const standing = await standingOf(tx, origins)
    requireCurrent(writing, standing)
    return standing
  }

  /** Each becomes its next version. That a new name is taken shows as a failure of what comes next. */
  async update(tx: Tx, telling: Telling, changes: readonly Change[], standing: Standing): Promise<Located[]> {
    if (changes.length === 0) return []
    const { project, key, news } = telling
    const next = changes.map(({ before, after }) => ({
      ...after,
      version: before.version + 1,
      createdAt: before.createdAt,
      updatedAt: standing.at,
    }))
    const sealed = next.map((secret) => this.#deps.box.seal(key, ownerOf(project), secret))
    for (const { first, some, isPersonal } of byFolder(changes, ({ before }) => before)) {
      const place = placeOf(telling, first.before)
      news.add(...(isPersonal ? [personalNews(place.folderId)] : newsOfUpdates(place, some)))
    }
    news.addDependents(standing.dependents)
    await this.#write(tx, telling, (writing) => writes.update(tx, sealed, writing))
    return next
  }

  async delete(tx: Tx, telling: Telling, secrets: readonly Located[], standing: Standing): Promise<void> {
    const ids = secrets.map(({ id }) => id)
    for (const { first, some, isPersonal } of byFolder(secrets, (secret) => secret)) {
      const keys = some.map(({ key }) => key)
      const place = placeOf(telling, first)
      telling.news.add(...(isPersonal ? [personalNews(place.folderId)] : secretNews(place, 'secret-deleted', keys)))
    }
    telling.news.addDependents(standing.dependents)
    await this.#write(tx, telling, (writing) => writes.deleteByIds(tx, ids, writing))
  }

  /** What is written and the news of it are one statement, as long as the news are not too many. */
  async #write(
    tx: Tx,
    { actor, project, news }: Telling,
    write: (writing: writes.Writing) => Promise<void>,
  ): Promise<void> {
    const told = news.take()
    await write({ actor, versionsMax: project.pitVersionLimit, news: told })
    this.#deps.changes.appended(tx, told)
    await news.append(tx, this.#deps.changes)
  }
}

export const withNews = <W extends Writing>(writing: W): W & { news: News } => ({ ...writing, news: new News() })

const ownerOf = ({ id, organizationId }: ProjectDetails) => ({ projectId: id, organizationId })

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

export const noSuchSecret = (name: string) => notFound(`Secret with name '${name}' not found`)
