import { badRequest, notFound } from '../../lib/app-error.ts'
import { isUuid } from '../../lib/uuid.ts'
import type { Database } from '../../platform/db/db.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { Actor } from '../permissions/actor.ts'
import { Expander } from './expander.ts'
import { importBlocks } from './import-blocks.ts'
import {
  type Entered,
  type Home,
  type Place,
  type Places,
  type ProjectChoice,
  type Spot,
  spotOf,
} from './places.service.ts'
import { describedMetadata } from './secret.ts'
import type { SecretBox } from './secret-box.ts'
import * as versions from './secret-versions.store.ts'
import { concealed, type ListedSecret, toListedSecret } from './secret-views.ts'
import { noSuchSecret } from './secret-writer.ts'
import * as store from './secrets.store.ts'
import type { Snapshots } from './snapshots.service.ts'
import { fieldsOf } from './visibility.ts'

type Deps = { db: Database; places: Places; snapshots: Snapshots; box: SecretBox; audit: AuditLog }

export type GetQuery = ProjectChoice & {
  environment?: string | undefined
  secretPath: string
  version?: number | undefined
  type: 'shared' | 'personal'
  viewSecretValue: boolean
  expandSecretReferences: boolean
  includeImports: boolean
}
/** `present` is what an older version has become. */
type Found = { secret: ListedSecret; present?: ListedSecret; spot: Home; isImported: boolean }

/** Reading one secret. */
export class SecretService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async get(actor: Actor, key: string, query: GetQuery): Promise<ListedSecret> {
    const { environment } = query
    if (!environment) throw badRequest('Say which environment is meant')
    const entered = await this.#deps.places.enter(actor, query)
    const spot = spotOf({ environment, secretPath: query.secretPath })
    await mayKnowOf(entered, spot, key)
    const place = await this.#deps.places.get(entered.project, spot)

    const found = (await this.#find(actor, place, key, query)) ?? (await this.#findImported(entered, place, key, query))
    if (!found) throw noSuchSecret(key)
    const { secret } = found
    if (secret.type === 'shared' && !found.isImported) {
      await requireVisible(entered, found, query)
      // What is kept from someone now is kept in all that it has been.
      if (found.present) await requireVisible(entered, { ...found, secret: found.present }, query)
    }
    await this.#note(actor, entered, found)
    if (!query.viewSecretValue && secret.type === 'shared') return concealed(secret)
    return query.expandSecretReferences ? this.#expanded(entered, found) : secret
  }

  async getById(actor: Actor, id: string): Promise<ListedSecret> {
    const row = isUuid(id) ? await store.findById(this.#deps.db.pool, id) : undefined
    if (!row || (row.userId !== null && row.userId !== actor.id)) throw notFound(`Secret with id '${id}' not found`)
    const absence = notFound(`Secret with id '${id}' not found`)
    const entered = await this.#deps.places.enterHome(actor, row.projectId, absence)
    const environment = entered.project.environments.find((candidate) => candidate.id === row.environmentId)
    if (!environment) throw absence
    const { organizationId, id: projectId } = entered.project
    const [secret] = await this.#deps.box.open(this.#deps.db.pool, { organizationId, projectId }, [row])
    if (!secret) throw absence
    const spot = { projectId, environment: environment.slug, path: row.path }
    const found = { secret: toListedSecret(secret, spot), spot, isImported: false }
    await requireVisible(entered, found, { viewSecretValue: true })
    await this.#note(actor, entered, found)
    return found.secret
  }

  async #find(actor: Actor, place: Place, key: string, query: GetQuery): Promise<Found | undefined> {
    const isPersonal = query.type === 'personal'
    if (isPersonal && actor.type !== 'user') return undefined
    const userId = isPersonal ? actor.id : null
    let snapshot = await this.#deps.snapshots.get(place, userId)
    let entry = snapshot.find(key, { isPersonal })
    if (!entry) {
      snapshot = await this.#deps.snapshots.getAfresh(place, userId)
      entry = snapshot.find(key, { isPersonal })
    }
    if (!entry) return undefined
    const present = snapshot.read(entry)
    if (query.version === undefined || query.version === entry.version)
      return { secret: present, spot: place, isImported: false }
    return { secret: await this.#version(place, entry.id, query.version), present, spot: place, isImported: false }
  }

  async #version(place: Place, secretId: string, version: number): Promise<ListedSecret> {
    const row = await versions.find(this.#deps.db.pool, secretId, version)
    const [secret] = row ? await this.#deps.box.open(this.#deps.db.pool, place, [row]) : []
    if (!secret) throw notFound(`Version ${version} of the secret not found`)
    return toListedSecret(secret, place)
  }

  /** The last import that has it wins. What may not be read there is passed over. */
  async #findImported(
    entered: Entered,
    place: Place,
    key: string,
    { includeImports, type, viewSecretValue }: GetQuery,
  ): Promise<Found | undefined> {
    if (!includeImports || type === 'personal' || place.imports.length === 0) return undefined
    for (const { members } of (await importBlocks(this.#deps, entered, place)).reverse()) {
      for (const member of members) {
        const entry = member.snapshot.find(key, { isPersonal: false })
        const action = viewSecretValue ? 'readValue' : 'describeSecret'
        if (!entry || !(await member.ability.can(action, 'secrets', fieldsOf(member.place, entry)))) continue
        return { secret: member.snapshot.read(entry), spot: member.place, isImported: true }
      }
    }
    return undefined
  }

  async #expanded(entered: Entered, { secret, spot }: Found): Promise<ListedSecret> {
    if (!secret.secretValue.includes('${')) return secret
    const { places, snapshots } = this.#deps
    const expander = new Expander({ places, snapshots, entered })
    return { ...secret, secretValue: await expander.expand(secret, [spot]) }
  }

  /** Nothing is shown before it is written down. */
  #note(actor: Actor, { project }: Entered, { secret, spot }: Found): Promise<void> {
    return this.#deps.audit.note(actor, {
      type: 'get-secret',
      projectId: project.id,
      metadata: {
        environment: spot.environment,
        secretPath: spot.path,
        secretId: secret.id,
        secretKey: secret.secretKey,
        secretVersion: secret.version,
        secretMetadata: describedMetadata(secret.secretMetadata),
      },
    })
  }
}

/** Before it is looked for: whoever may not know of any secret of that name does not learn whether there is one. */
const mayKnowOf = ({ ability }: Entered, { environment, path }: Spot, key: string): Promise<void> =>
  ability.satisfy((present) => {
    const known = { environment, secretPath: path, secretName: key }
    if (!present.canSome('describeSecret', 'secrets', known)) present.require('describeSecret', 'secrets', known)
  })

const requireVisible = async (
  { ability }: Entered,
  { secret, spot }: Found,
  { viewSecretValue }: Pick<GetQuery, 'viewSecretValue'>,
): Promise<void> => {
  const fields = fieldsOf(spot, { key: secret.secretKey, tags: secret.tags.map(({ slug }) => slug) })
  await ability.require('describeSecret', 'secrets', fields)
  if (viewSecretValue) await ability.require('readValue', 'secrets', fields)
}
