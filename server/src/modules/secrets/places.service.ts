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
export type Entered = {
  project: ProjectDetails
  ability: Ability
  /** Another project of the organization; undefined when there is none. Throws when the actor is not in it. */
  elsewhere: (choice: ProjectChoice) => Promise<Entered | undefined>
}
/** Which project: by id, or by its slug in the organization of the actor. */
export type ProjectChoice = { projectId?: string | undefined; projectSlug?: string | undefined }
/** A folder, by the names that requests and rules use. */
export type Spot = { environment: string; path: string }
export type Home = Spot & { projectId: string }
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
    const elsewhere = this.#elsewhere(actor)
    if (!projectId) {
      const project = await this.#deps.projects.getBySlug(actor, projectSlug ?? '')
      return { project, ability: await this.#deps.permissions.inProject(actor, project.id), elsewhere }
    }
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    const project = await this.#deps.projects.find(projectId)
    if (!project) throw notFound(`Project with id '${projectId}' not found`)
    return { project, ability, elsewhere }
  }

  /** Each is asked for once in a request. */
  #elsewhere(actor: Actor): Entered['elsewhere'] {
    const entered = new Map<string, Promise<Entered | undefined>>()
    return (choice) => {
      const name = choice.projectId ?? `@${choice.projectSlug ?? ''}`
      const known = entered.get(name) ?? this.enter(actor, choice).catch(orAbsent)
      entered.set(name, known)
      return known
    }
  }

  /** For what was asked for by its own id: of another organization's it is not told that there is such a thing. */
  async enterHome(actor: Actor, projectId: string, absence: AppError): Promise<Entered> {
    const entered = await this.enter(actor, { projectId }).catch(orAbsent)
    if (!entered) throw absence
    return entered
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
    if (!environment) throw noSuchEnvironment(project, slug)
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
/** Told to those who follow, and nothing is kept under it: what a folder shows of others is put together at each reading. */
export const viewScope = (folderId: string): string => `folder-view:${folderId}`
/** What changes when something in a folder does. */
export const contentScope = (folderId: string): string => `folder:${folderId}`

const orAbsent = (error: unknown): undefined => {
  if (error instanceof AppError && error.kind === 'not-found') return undefined
  throw error
}

export const spotOf = ({ environment, secretPath }: { environment: string; secretPath: string }): Spot => ({
  environment,
  path: tidyPath(secretPath),
})

/** The sentence is one that the tests of a client know. */
export const noSuchEnvironment = ({ id }: ProjectDetails, slug: string) =>
  notFound(`Environment with slug '${slug}' in project with ID ${id} not found`)

export const noSuchFolder = ({ environment, path }: Spot, code = 'SecretPathNotFound') =>
  notFound(`Folder with path '${path}' in environment '${environment}' was not found: check the slug and the path`, {
    code,
  })
