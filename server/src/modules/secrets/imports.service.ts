import { badRequest, notFound } from '../../lib/app-error.ts'
import { isUuid, newId } from '../../lib/uuid.ts'
import type { ChangeFeed } from '../../platform/changes/feed.ts'
import type { Database, Tx } from '../../platform/db/db.ts'
import { isUniqueViolation } from '../../platform/db/failures.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { Actor } from '../permissions/actor.ts'
import type { ProjectDetails } from '../projects/projects.service.ts'
import { lockByKeys } from './folders.store.ts'
import { parsePath } from './folder-paths.ts'
import * as store from './imports.store.ts'
import type { SecretImport } from './imports.store.ts'
import { type Ability, type Environment, noSuchFolder, type Place, type Places } from './places.service.ts'
import { type ProjectChoice, type Spot, spotOf } from './places.service.ts'
import { importNews } from './secret-news.ts'

type Deps = { db: Database; places: Places; audit: AuditLog; changes: ChangeFeed }
/** The folder that imports. */
export type Importing = ProjectChoice & { environment: string; path: string }
export type Source = { environment: string; path: string }
type Changes = { environment?: string | undefined; path?: string | undefined; position?: number | undefined }
type Action = 'read' | 'create' | 'edit' | 'delete'
type Prepared = { project: ProjectDetails; ability: Ability; place: Place }
/** As it is shown. */
export type ImportView = { secretImport: SecretImport; source: Environment; project: ProjectDetails }

/** Which folders show the secrets of which others. */
export class ImportService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async create(actor: Actor, importing: Importing, wish: Source): Promise<ImportView> {
    const prepared = await this.#prepare(actor, importing, 'create')
    const { source, path } = await this.#source(prepared, wish)
    await this.#requireNoCycle(prepared, source, path)
    return this.#change(actor, prepared, 'create', async (tx) => {
      const row = { id: newId(), folderId: prepared.place.folderId, sourceEnvironmentId: source.id, sourcePath: path }
      return onlyOnce(store.insert(tx, row))
    })
  }

  async update(actor: Actor, importing: Importing, { id, ...changes }: Changes & { id: string }): Promise<ImportView> {
    const prepared = await this.#prepare(actor, importing, 'edit')
    const known = await this.#find(prepared, id)
    // wire: what is updated and unknown is a bad request.
    if (!known) throw badRequest(`Secret import '${id}' not found`)
    const current = prepared.project.environments.find((environment) => environment.id === known.sourceEnvironmentId)
    const wish = { environment: changes.environment ?? current?.slug ?? '', path: changes.path ?? known.sourcePath }
    const { source, path } = await this.#source(prepared, wish)
    await this.#requireNoCycle(prepared, source, path)

    return this.#change(actor, prepared, 'update', async (tx) => {
      const all = await store.list(tx, prepared.place.folderId)
      const before = all.find((one) => one.id === id)
      const position = Math.min(changes.position || (before?.position ?? 1), all.length)
      return (
        before && onlyOnce(store.update(tx, before, { sourceEnvironmentId: source.id, sourcePath: path, position }))
      )
    })
  }

  async delete(actor: Actor, importing: Importing, id: string): Promise<ImportView> {
    const prepared = await this.#prepare(actor, importing, 'delete')
    return this.#change(actor, prepared, 'delete', async (tx) => {
      const known = (await store.list(tx, prepared.place.folderId)).find((one) => one.id === id)
      if (known) await store.remove(tx, known)
      return known
    })
  }

  /** Those whose source is still there. */
  async list(actor: Actor, importing: Importing): Promise<ImportView[]> {
    const { project, place } = await this.#prepare(actor, importing, 'read')
    const views = (await store.list(this.#deps.db.pool, place.folderId)).flatMap((one) => viewOf(project, one) ?? [])
    const metadata = { environment: place.environment, folderId: place.folderId, numberOfImports: views.length }
    await this.#deps.audit.note(actor, { type: 'get-secret-imports', projectId: project.id, metadata })
    return views
  }

  async get(
    actor: Actor,
    id: string,
  ): Promise<ImportView & { place: Spot & { environment: string }; at: Environment }> {
    const row = isUuid(id) ? await store.findById(this.#deps.db.pool, id) : undefined
    if (!row) throw noSuchImport(id)
    const { project, ability } = await this.#deps.places.enterHome(actor, row.projectId, noSuchImport(id))
    const at = project.environments.find((environment) => environment.id === row.environmentId)
    const view = viewOf(project, row)
    if (!at || !view) throw noSuchImport(id)
    await ability.require('read', 'secret-imports', { environment: at.slug, secretPath: row.path })
    const metadata = { secretImportId: id, folderId: row.folderId }
    await this.#deps.audit.note(actor, { type: 'get-secret-import', projectId: project.id, metadata })
    return { ...view, at, place: { environment: at.slug, path: row.path } }
  }

  async #prepare(actor: Actor, { environment, path, ...choice }: Importing, action: Action): Promise<Prepared> {
    const { project, ability } = await this.#deps.places.enter(actor, choice)
    const spot = spotOf({ environment, secretPath: path })
    await ability.require(action, 'secret-imports', { environment, secretPath: spot.path })
    return { project, ability, place: await this.#deps.places.get(project, spot) }
  }

  /** The source need not have the folder yet, but the one who imports it must be allowed to know of what is in there. */
  async #source({ project, ability }: Prepared, { environment, path: text }: Source) {
    const path = parsePath(text)
    if (path === undefined) throw badRequest('Invalid path of the source of the import')
    await ability.require('describeSecret', 'secrets', { environment, secretPath: path })
    return { source: await this.#deps.places.getEnvironment(project, environment), path }
  }

  /** Itself, or one that imports it. Longer cycles do no harm: they are cut where they are followed. */
  async #requireNoCycle({ project, place }: Prepared, source: Environment, path: string): Promise<void> {
    const isSame = source.id === place.environmentId && path === place.path
    const other = await this.#deps.places.findIn(project, source, path)
    const leadsBack = other?.imports.some((one) => one.environmentId === place.environmentId && one.path === place.path)
    if (isSame || leadsBack) throw badRequest('Cyclic import not allowed')
  }

  async #find({ place }: Prepared, id: string): Promise<SecretImport | undefined> {
    return (await store.list(this.#deps.db.pool, place.folderId)).find((one) => one.id === id)
  }

  async #change(
    actor: Actor,
    { project, place }: Prepared,
    verb: 'create' | 'update' | 'delete',
    work: (tx: Tx) => Promise<SecretImport | undefined>,
  ): Promise<ImportView> {
    return this.#deps.db.transaction(async (tx) => {
      if ((await lockByKeys(tx, [place])).length === 0) throw noSuchFolder(place)
      const secretImport = await work(tx)
      if (!secretImport) throw noSuchImport()
      const view = viewOf(project, secretImport)
      if (!view) throw noSuchImport(secretImport.id)
      await this.#deps.audit.record(tx, actor, recordOf(verb, place, view))
      await this.#deps.changes.append(tx, importNews(place))
      return view
    })
  }
}

const recordOf = (verb: string, place: Place, { secretImport, source, project }: ImportView) => ({
  type: `${verb}-secret-import`,
  projectId: project.id,
  metadata: {
    secretImportId: secretImport.id,
    folderId: place.folderId,
    ...(verb === 'update'
      ? { position: secretImport.position }
      : { importFromSecretPath: secretImport.sourcePath, importFromEnvironment: source.slug }),
    importToEnvironment: place.environment,
    importToSecretPath: place.path,
  },
})

const viewOf = (project: ProjectDetails, secretImport: SecretImport): ImportView | undefined => {
  const source = project.environments.find(({ id }) => id === secretImport.sourceEnvironmentId)
  return source && { secretImport, source, project }
}

const onlyOnce = async (written: Promise<SecretImport | undefined>): Promise<SecretImport | undefined> => {
  try {
    return await written
  } catch (error) {
    throw isUniqueViolation(error) ? badRequest('The folder imports from there already') : error
  }
}

const noSuchImport = (id?: string) =>
  notFound(id === undefined ? 'Secret import not found' : `Secret import '${id}' not found`)
