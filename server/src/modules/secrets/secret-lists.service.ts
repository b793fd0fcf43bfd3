import { badRequest, forbidden } from '../../lib/app-error.ts'
import type { Database } from '../../platform/db/db.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { Actor } from '../permissions/actor.ts'
import { Expander } from './expander.ts'
import { ROOT } from './folder-paths.ts'
import { list as listFolders } from './folders.store.ts'
import { importBlocks } from './import-blocks.ts'
import { type RenderedList, type ShownImport, SecretListRenderer } from './list-rendering.ts'
import {
  type Entered,
  type Home,
  type Place,
  type Places,
  type ProjectChoice,
  type Spot,
  spotOf,
} from './places.service.ts'
import type { ImportedBlock } from './secrets.schemas.ts'
import type { Entry, Snapshot } from './snapshot.ts'
import type { Snapshots } from './snapshots.service.ts'
import { describable, fieldsOf, matching, type Shown, split } from './visibility.ts'

type Deps = { db: Database; places: Places; snapshots: Snapshots; audit: AuditLog }

export type ListQuery = ProjectChoice & {
  environment?: string | undefined
  secretPath: string
  viewSecretValue: boolean
  expandSecretReferences: boolean
  recursive: boolean
  includeImports: boolean
  /** The caller's own: both rows, one in place of the other, or none. */
  personal: 'beside' | 'instead' | 'none'
  tagSlugs?: string[] | undefined
  metadataFilter?: { key: string; value: string }[] | undefined
  /** Whether imported secrets find local names in the folder that imports them first. */
  importsAreRelative: boolean
}
type Query = ListQuery & { userId: string | null }

const WHOLE: Query = {
  secretPath: ROOT,
  viewSecretValue: true,
  expandSecretReferences: true,
  recursive: false,
  includeImports: true,
  personal: 'none',
  importsAreRelative: false,
  userId: null,
}

/** wire: deeper folders are not listed. */
const DEPTH_MAX = 20

/** Lists of secrets. */
export class SecretListService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async list(actor: Actor, listing: ListQuery): Promise<RenderedList> {
    const { environment } = listing
    if ((!listing.projectId && !listing.projectSlug) || !environment) {
      throw badRequest('Say which project and which environment are meant')
    }
    const entered = await this.#deps.places.enter(actor, listing)
    await entered.ability.require('describeSecret', 'secrets')
    const spot = spotOf({ environment, secretPath: listing.secretPath })
    const place = await this.#deps.places.get(entered.project, spot)
    const userId = listing.personal !== 'none' && actor.type === 'user' ? actor.id : null
    const query = { ...listing, userId }

    const shown = await this.#shown(entered, place, query)
    const imports = listing.includeImports ? await this.#imports(entered, place, query) : []
    await this.#note(actor, place, { shown, imports })
    return this.#rendered(entered, place, query, (renderer) => renderer.render(shown, imports))
  }

  /** Only what a folder imports. */
  async listImported(actor: Actor, { environment, path, ...choice }: ProjectChoice & Spot) {
    const entered = await this.#deps.places.enter(actor, choice)
    const spot = spotOf({ environment, secretPath: path })
    await entered.ability.require('read', 'secret-imports', { environment, secretPath: spot.path })
    const place = await this.#deps.places.get(entered.project, spot)
    const imports = await this.#imports(entered, place, WHOLE)
    await this.#note(actor, place, { shown: [], imports })
    const blocks = await this.#rendered(entered, place, WHOLE, (renderer) => renderer.renderImports(imports))
    return imports.map(({ environment: { id, name, slug } }, index) => {
      const block = JSON.parse(blocks[index] ?? '') as ImportedBlock
      return { ...block, environmentInfo: { id, name, slug } }
    })
  }

  async #shown(entered: Entered, place: Place, query: Query): Promise<Shown[]> {
    const own = await this.#choose(entered, place, query)
    if (!query.recursive) return [own]
    const listing = { environmentId: place.environmentId, path: place.path, isRecursive: true }
    const folders = await listFolders(this.#deps.db.pool, listing)
    const below = folders
      .filter(({ path }) => path.split('/').length - 1 <= DEPTH_MAX)
      .sort((a, b) => (a.path < b.path ? -1 : 1))
      .map(({ id, path }): Place => ({ ...place, path, folderId: id, imports: [] }))
    return [own, ...(await Promise.all(below.map((deeper) => this.#chooseReadable(entered, deeper, query))))]
  }

  /** Of the folder that was asked for: one that may be known of but not read fails the whole. */
  async #choose({ ability }: Entered, place: Place, query: Query): Promise<Shown> {
    const snapshot = await this.#deps.snapshots.get(place, query.userId)
    const entries = candidates(snapshot, query)
    if (!query.viewSecretValue) return hiddenOf(snapshot, place, describable(ability.present, place, entries))

    let { readable, unreadable } = split(ability.present, place, entries)
    const [first] = unreadable
    if (first) {
      await ability.require('readValue', 'secrets', fieldsOf(place, first))
      ;({ readable, unreadable } = split(ability.present, place, entries))
      if (unreadable[0]) await ability.require('readValue', 'secrets', fieldsOf(place, unreadable[0]))
    }
    return { snapshot, spot: place, entries: readable, areHidden: false }
  }

  /** Of a deeper folder: what may not be read is left out. */
  async #chooseReadable({ ability }: Entered, place: Place, query: Query): Promise<Shown> {
    const snapshot = await this.#deps.snapshots.get(place, query.userId)
    const entries = candidates(snapshot, query)
    return query.viewSecretValue
      ? { snapshot, spot: place, entries: split(ability.present, place, entries).readable, areHidden: false }
      : hiddenOf(snapshot, place, describable(ability.present, place, entries))
  }

  /** A key that several imports have is shown in the one that wins: the last. */
  async #imports(entered: Entered, importing: Place, query: Query): Promise<ShownImport[]> {
    if (importing.imports.length === 0) return []
    const blocks = await importBlocks(this.#deps, entered, importing)
    const met = new Set<string>()
    const shown = blocks.reverse().map(({ place, environment, members }): ShownImport => ({
      place,
      environment,
      shown: members.map((member) => {
        const known = query.viewSecretValue
          ? split(member.ability.present, member.place, member.snapshot.entries).readable
          : describable(member.ability.present, member.place, member.snapshot.entries)
        const entries = matching(known, { tagSlugs: query.tagSlugs, metadata: query.metadataFilter })
        return {
          snapshot: member.snapshot,
          spot: member.place,
          entries: entries.filter(({ key }) => !met.has(key) && met.add(key)),
          areHidden: !query.viewSecretValue,
        }
      }),
    }))
    return shown.reverse()
  }

  async #rendered<T>(
    entered: Entered,
    place: Place,
    query: Query,
    render: (renderer: SecretListRenderer) => Promise<T>,
  ): Promise<T> {
    const { places, snapshots } = this.#deps
    const renderer = new SecretListRenderer({
      expander: new Expander({ places, snapshots, entered }),
      importing: place,
      isExpanded: query.expandSecretReferences,
      isRelative: query.importsAreRelative,
    })
    const rendered = await render(renderer)
    if (renderer.refusals.length === 0) return rendered
    throw forbidden('Some references to other secrets could not be followed', { details: renderer.refusals })
  }

  /** Nothing is shown before it is written down. */
  #note(
    actor: Actor,
    { projectId, environment, path }: Place,
    { shown, imports }: { shown: Shown[]; imports: ShownImport[] },
  ): Promise<void> {
    const all = [...shown, ...imports.flatMap((block) => block.shown)]
    const numberOfSecrets = all.reduce((sum, { entries }) => sum + entries.length, 0)
    const metadata = { environment, secretPath: path, numberOfSecrets }
    return this.#deps.audit.note(actor, { type: 'get-secrets', projectId, metadata })
  }
}

const hiddenOf = (snapshot: Snapshot, spot: Home, entries: Entry[]): Shown => ({
  snapshot,
  spot,
  entries,
  areHidden: true,
})

const candidates = ({ entries }: Snapshot, { personal, userId, tagSlugs, metadataFilter }: Query): readonly Entry[] => {
  const overridden = new Set<string>()
  if (userId !== null && personal === 'instead') {
    for (const { key, isPersonal } of entries) if (isPersonal) overridden.add(key)
  }
  const chosen = overridden.size === 0 ? entries : entries.filter((e) => e.isPersonal || !overridden.has(e.key))
  return matching(chosen, { tagSlugs, metadata: metadataFilter })
}
