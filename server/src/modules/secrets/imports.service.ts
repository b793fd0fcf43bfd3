import { badRequest, notFound } from '../../lib/app-error.ts'
import { isUuid, newId } from '../../lib/uuid.ts'
import type { ChangeFeed } from '../../platform/changes/feed.ts'
import type { Database, Tx } from '../../platform/db/db.ts'
import { isUniqueViolation } from '../../platform/db/failures.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { Actor } from '../permissions/actor.ts'
import type { ProjectDetails, ProjectService } from '../projects/projects.service.ts'
import { lockTouched } from './dependency-locks.ts'
import { hold as holdDependents } from './dependents.store.ts'
import { lockByKeys } from './folders.store.ts'
import { parsePath } from './folder-paths.ts'
import * as store from './imports.store.ts'
import type { SecretImport } from './imports.store.ts'
import type { Entered, Environment, Place, Places, ProjectChoice, Spot } from './places.service.ts'
import { noSuchEnvironment, noSuchFolder, spotOf } from './places.service.ts'
import { namesOf } from './reference-targets.ts'
import { News, originOf } from './secret-news.ts'

type Deps = { db: Database; projects: ProjectService; places: Places; audit: AuditLog; changes: ChangeFeed }
/** The folder that imports. */
export type Importing = ProjectChoice & { environment: string; path: string }
export type Source = { environment: string; path: string; projectId?: string | undefined }
type Changes = { environment?: string | undefined; path?: string | undefined; position?: number | undefined }
type Action = 'read' | 'create' | 'edit' | 'delete'
type Verb = 'create' | 'update' | 'delete'
type Prepared = Entered & { place: Place }
/** Which folder is imported, whether it is there or not. */
type Found = { home: ProjectDetails; source: Environment; path: string }
/** As it is shown; `home` is the project of the source. */
export type ImportView = {
  secretImport: SecretImport
  source: Environment
  home: ProjectDetails
  project: ProjectDetails
}

/** Which folders show the secrets of which others. */
export class ImportService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async create(actor: Actor, importing: Importing, wish: Source): Promise<ImportView> {
    const prepared = await this.#prepare(actor, importing, 'create')
    const found = await this.#source(prepared, wish)
    return this.#change(actor, prepared, { verb: 'create', found }, async (tx) => {
      const { folderId } = prepared.place
      const row = { id: newId(), folderId, sourceEnvironmentId: found.source.id, sourcePath: found.path }
      return onlyOnce(store.insert(tx, row))
    })
  }

  async update(actor: Actor, importing: Importing, { id, ...changes }: Changes & { id: string }): Promise<ImportView> {
    const prepared = await this.#prepare(actor, importing, 'edit')
    const known = await this.#find(prepared, id)
    // wire: what is updated and unknown is a bad request.
    if (!known) throw badRequest(`Secret import '${id}' not found`)
    const current = await this.#view(prepared.project, known)
    const environment = changes.environment ?? current?.source.slug ?? ''
    const wish = { environment, path: changes.path ?? known.sourcePath, projectId: known.sourceProjectId }
    const found = await this.#source(prepared, wish)

    return this.#change(actor, prepared, { verb: 'update', found }, async (tx) => {
      const all = await store.list(tx, prepared.place.folderId)
      const before = all.find((one) => one.id === id)
      const position = Math.min(changes.position || (before?.position ?? 1), all.length)
      const { source, path } = found
      return (
        before && onlyOnce(store.update(tx, before, { sourceEnvironmentId: source.id, sourcePath: path, position }))
      )
    })
  }

  async delete(actor: Actor, importing: Importing, id: string): Promise<ImportView> {
    const prepared = await this.#prepare(actor, importing, 'delete')
    const row = await this.#find(prepared, id)
    const view = row && (await this.#view(prepared.project, row))
    if (!view) throw noSuchImport(id)
    const found = { home: view.home, source: view.source, path: view.secretImport.sourcePath }
    return this.#change(actor, prepared, { verb: 'delete', found }, async (tx) => {
      const known = (await store.list(tx, prepared.place.folderId)).find((one) => one.id === id)
      if (known) await store.remove(tx, known)
      return known
    })
  }

  /** Those whose source is still there. */
  async list(actor: Actor, importing: Importing): Promise<ImportView[]> {
    const { project, place } = await this.#prepare(actor, importing, 'read')
    const views: ImportView[] = []
    for (const one of await store.list(this.#deps.db.pool, place.folderId)) {
      const view = await this.#view(project, one)
      if (view) views.push(view)
    }
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
    const view = await this.#view(project, row)
    if (!at || !view) throw noSuchImport(id)
    await ability.require('read', 'secret-imports', { environment: at.slug, secretPath: row.path })
    const metadata = { secretImportId: id, folderId: row.folderId }
    await this.#deps.audit.note(actor, { type: 'get-secret-import', projectId: project.id, metadata })
    return { ...view, at, place: { environment: at.slug, path: row.path } }
  }

  async #prepare(actor: Actor, { environment, path, ...choice }: Importing, action: Action): Promise<Prepared> {
    const entered = await this.#deps.places.enter(actor, choice)
    const spot = spotOf({ environment, secretPath: path })
    await entered.ability.require(action, 'secret-imports', { environment, secretPath: spot.path })
    return { ...entered, place: await this.#deps.places.get(entered.project, spot) }
  }

  /** The source need not have the folder yet, but the one who imports it must be allowed to know of what is in there. */
  async #source(
    prepared: Prepared,
    { environment, path: text, projectId = prepared.project.id }: Source,
  ): Promise<Found> {
    const path = parsePath(text)
    if (path === undefined) throw badRequest('Invalid path of the source of the import')
    const there = projectId === prepared.project.id ? prepared : await prepared.elsewhere({ projectId })
    if (!there) throw notFound(`Project with id '${projectId}' not found`)
    await there.ability.require('describeSecret', 'secrets', { environment, secretPath: path })
    const found = {
      home: there.project,
      source: await this.#deps.places.getEnvironment(there.project, environment),
      path,
    }
    await this.#requireNoCycle(prepared, found)
    return found
  }

  /** Itself, or one that imports it. Longer cycles do no harm: they are cut where they are followed. */
  async #requireNoCycle({ place }: Prepared, { home, source, path }: Found): Promise<void> {
    const isSame = source.id === place.environmentId && path === place.path
    const other = await this.#deps.places.findIn(home, source, path)
    const leadsBack = other?.imports.some((one) => one.environmentId === place.environmentId && one.path === place.path)
    if (isSame || leadsBack) throw badRequest('Cyclic import not allowed')
  }

  async #find({ place }: Prepared, id: string): Promise<SecretImport | undefined> {
    return (await store.list(this.#deps.db.pool, place.folderId)).find((one) => one.id === id)
  }

  /** Undefined when its source is not there any more, or waits to be deleted. */
  async #view(project: ProjectDetails, secretImport: SecretImport): Promise<ImportView | undefined> {
    const { sourceProjectId, sourceEnvironmentId } = secretImport
    const home = sourceProjectId === project.id ? project : await this.#deps.projects.find(sourceProjectId)
    const source = home?.environments.find(({ id }) => id === sourceEnvironmentId)
    return home && source && { secretImport, source, home, project }
  }

  async #change(
    actor: Actor,
    { project, place }: Prepared,
    { verb, found }: { verb: Verb; found: Found },
    work: (tx: Tx) => Promise<SecretImport | undefined>,
  ): Promise<ImportView> {
    return this.#deps.db.transaction(async (tx) => {
      await lockTouched(tx, touchedBy(place, project, verb === 'delete' ? undefined : found))
      const [folder] = await lockByKeys(tx, [place])
      // Someone may have moved it, or another into its place, while this waited.
      if (folder?.id !== place.folderId) throw noSuchFolder(place)
      const secretImport = await work(tx)
      if (!secretImport) throw noSuchImport()
      const view = { secretImport, source: found.source, home: found.home, project }
      await this.#deps.audit.record(tx, actor, recordOf(verb, place, view))
      const dependents = await holdDependents(tx, [originOf(place)])
      if (!dependents.areCurrent) throw noSuchEnvironment(project, place.environment)
      const news = new News()
      news.addImport(place)
      news.addDependents(dependents.found)
      await news.append(tx, this.#deps.changes)
      return view
    })
  }
}

/** The importing folder changes for those who see it, and comes to depend on its source. */
const touchedBy = (place: Place, { slug }: ProjectDetails, found: Found | undefined) => ({
  organizationId: place.organizationId,
  written: namesOf({ ...place, projectSlug: slug }),
  dependedOn: found
    ? namesOf({
        organizationId: found.home.organizationId,
        projectId: found.home.id,
        projectSlug: found.home.slug,
        environment: found.source.slug,
        path: found.path,
      })
    : [],
})

const recordOf = (verb: Verb, place: Place, { secretImport, source, project }: ImportView) => ({
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

const onlyOnce = async (written: Promise<SecretImport | undefined>): Promise<SecretImport | undefined> => {
  try {
    return await written
  } catch (error) {
    throw isUniqueViolation(error) ? badRequest('The folder imports from there already') : error
  }
}

const noSuchImport = (id?: string) =>
  notFound(id === undefined ? 'Secret import not found' : `Secret import '${id}' not found`)
