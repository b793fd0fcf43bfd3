import { AppError, badRequest, notFound } from '../../lib/app-error.ts'
import { TrustedCache } from '../../platform/changes/cache.ts'
import type { ChangeFeed } from '../../platform/changes/feed.ts'
import type { Database } from '../../platform/db/db.ts'
import type { Actor } from '../permissions/actor.ts'
import type { PermissionService } from '../permissions/permissions.service.ts'
import type { ProjectDetails, ProjectService } from '../projects/projects.service.ts'
import { Batched } from './batched.ts'
import { tidyPath } from './folder-paths.ts'
import * as store from './folders.store.ts'

type Deps = { db: Database; permissions: PermissionService; projects: ProjectService; changes: ChangeFeed }

export type Ability = Awaited<ReturnType<PermissionService['inProject']>>
export type Environment = ProjectDetails['environments'][number]
/** A project that the actor is in, and what the actor may do there. */
export type Entered = { project: ProjectDetails; ability: Ability }
/** Which project: by id, or by its slug in the organization of the actor. */
export type ProjectChoice = { projectId?: string | undefined; projectSlug?: string | undefined }
/** A folder, by the names that requests and rules use. */
export type Spot = { environment: string; path: string }
/** A folder that is there. */
export type Place = Spot & {
  organizationId: string
  projectId: string
  environmentId: string
  folderId: string
  /** The folders whose secrets it shows beside its own, in order. */
  imports: readonly store.ImportSource[]
}

/** Some ids each. */
const CACHED_MAX = 50_000

/** Finds the folders that requests name. */
export class Places {
  readonly #deps: Deps
  readonly #folders: TrustedCache<store.FoundFolder>
  readonly #asked: Batched<store.FolderKey, store.FoundFolder>

  constructor(deps: Deps) {
    this.#deps = deps
    this.#folders = new TrustedCache(deps.changes, CACHED_MAX)
    this.#asked = new Batched((keys) => store.findByKeys(deps.db.pool, keys))
  }

  async enter(actor: Actor, { projectId, projectSlug }: ProjectChoice): Promise<Entered> {
    if (!projectId && !projectSlug) throw badRequest('Say which project is meant: by its id or by its slug')
    if (!projectId) {
      const project = await this.#deps.projects.getBySlug(actor, projectSlug ?? '')
      return { project, ability: await this.#deps.permissions.inProject(actor, project.id) }
    }
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    const project = await this.#deps.projects.find(projectId)
    if (!project) throw notFound(`Project with id '${projectId}' not found`)
    return { project, ability }
  }

  /** For what was asked for by its own id: of another organization's it is not told that there is such a thing. */
  async enterHome(actor: Actor, projectId: string, absence: AppError): Promise<Entered> {
    try {
      return await this.enter(actor, { projectId })
    } catch (error) {
      throw error instanceof AppError && error.kind === 'not-found' ? absence : error
    }
  }

  /** What is kept of a project may lack an environment that has just been made elsewhere. */
  async findEnvironment(project: ProjectDetails, slug: string): Promise<Environment | undefined> {
    const isIt = (environment: Environment) => environment.slug === slug
    const known = project.environments.find(isIt)
    if (known) return known
    const { environments } = await this.#deps.projects.getDetails(this.#deps.db.pool, project.id)
    return environments.find(isIt)
  }

  async getEnvironment(project: ProjectDetails, slug: string): Promise<Environment> {
    const environment = await this.findEnvironment(project, slug)
    // The sentence is one that the tests of a client know.
    if (!environment) throw notFound(`Environment with slug '${slug}' in project with ID ${project.id} not found`)
    return environment
  }

  async find(project: ProjectDetails, { environment: slug, path }: Spot): Promise<Place | undefined> {
    const environment = await this.findEnvironment(project, slug)
    return environment && this.findIn(project, environment, path)
  }

  async findIn(project: ProjectDetails, environment: Environment, path: string): Promise<Place | undefined> {
    const folder = await this.#findFolder({ environmentId: environment.id, path })
    if (!folder) return undefined
    const { id: projectId, organizationId } = project
    const { id: folderId, imports } = folder
    return {
      organizationId,
      projectId,
      environmentId: environment.id,
      environment: environment.slug,
      path,
      folderId,
      imports,
    }
  }

  async get(project: ProjectDetails, spot: Spot): Promise<Place> {
    const environment = await this.getEnvironment(project, spot.environment)
    const place = await this.findIn(project, environment, spot.path)
    if (!place) throw noSuchFolder(spot)
    return place
  }

  #findFolder(key: store.FolderKey): Promise<store.FoundFolder | undefined> {
    return this.#folders.get(`${key.environmentId} ${key.path}`, [], async (alsoTag) => {
      const folder = await this.#asked.get(key)
      if (folder) alsoTag(placeScope(folder.id))
      return folder
    })
  }
}

/** What changes when a folder is renamed or ends, or what it imports does. */
export const placeScope = (folderId: string): string => `folder-place:${folderId}`
/** What changes when something in a folder does. */
export const contentScope = (folderId: string): string => `folder:${folderId}`

export const spotOf = ({ environment, secretPath }: { environment: string; secretPath: string }): Spot => ({
  environment,
  path: tidyPath(secretPath),
})

export const noSuchFolder = ({ environment, path }: Spot, code = 'SecretPathNotFound') =>
  notFound(`Folder with path '${path}' in environment '${environment}' was not found: check the slug and the path`, {
    code,
  })
