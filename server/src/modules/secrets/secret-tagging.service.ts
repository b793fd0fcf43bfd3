import { notFound } from '../../lib/app-error.ts'
import type { Database, Tx } from '../../platform/db/db.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { Actor } from '../permissions/actor.ts'
import type { Entered, Places, Spot } from './places.service.ts'
import { spotOf } from './places.service.ts'
import { Rights } from './rights.ts'
import type { Secret, Tag } from './secret.ts'
import type { SecretBox } from './secret-box.ts'
import { named } from './secret-changes.ts'
import { recordOfOne } from './secret-records.ts'
import { type Located, noSuchSecret, type SecretWriter, withNews, type Writing } from './secret-writer.ts'
import type { Target } from './secret-writes.service.ts'
import { listBySlugs } from './tags.store.ts'
import { fieldsOf } from './visibility.ts'

type Deps = { db: Database; places: Places; box: SecretBox; writer: SecretWriter; audit: AuditLog }
export type Tagging = Target & { key: string; tagSlugs: readonly string[] }
type Change = { rights: Rights; writing: Writing; spot: Spot; key: string; next: (tags: Tag[]) => Tag[] }

/** Putting tags on a secret and taking them off, without saying what else it is. */
export class SecretTaggingService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  attach(actor: Actor, tagging: Tagging) {
    return this.#change(actor, tagging, (present, given) => [...without(present, given), ...given])
  }

  detach(actor: Actor, tagging: Tagging) {
    return this.#change(actor, tagging, without)
  }

  async #change(actor: Actor, tagging: Tagging, merge: (present: Tag[], given: Tag[]) => Tag[]) {
    const { key } = tagging
    const entered = await this.#deps.places.enter(actor, tagging)
    const { project, ability } = entered
    const spot = spotOf(tagging)
    const rights = new Rights(ability)
    await rights.mayBeAllowed('edit', fieldsOf(spot, { key, tags: [] }))
    const given = await this.#tags(entered, tagging.tagSlugs)
    const environment = await this.#deps.places.getEnvironment(project, spot.environment)
    const writing = { actor, project, environment, key: await this.#deps.box.key(this.#deps.db.pool, project.id) }
    const change = { rights, writing, spot, key, next: (present: Tag[]) => merge(present, given) }
    const secret = await rights.transaction(this.#deps.db, async (tx) => {
      const written = await this.#write(tx, change)
      await this.#deps.audit.record(tx, actor, recordOfOne('update', { ...spot, projectId: project.id }, written))
      return written
    })
    return {
      secret,
      projectId: project.id,
      ...spot,
      isReadable: rights.can('readValue', fieldsOf(spot, named(secret))),
    }
  }

  async #write(tx: Tx, { rights, writing, spot, key, next }: Change): Promise<Secret> {
    const wanted = [{ path: spot.path, key }]
    const { secrets, standing } = await this.#deps.writer.lock(tx, writing, { userId: null, wanted })
    const [before] = secrets
    if (!before) throw noSuchSecret(key)
    const after: Located = { ...before, tags: next(before.tags) }
    for (const secret of [before, after]) rights.require('edit', fieldsOf(spot, named(secret)))
    rights.requireUncoversNothing(fieldsOf(spot, named(before)), fieldsOf(spot, named(after)))
    const [written] = await this.#deps.writer.update(tx, withNews(writing), [{ before, after }], standing)
    if (!written) throw new Error('The tags were not stored')
    return written
  }

  async #tags({ project }: Entered, slugs: readonly string[]): Promise<Tag[]> {
    const found = await listBySlugs(this.#deps.db.pool, project.id, slugs)
    const missing = slugs.filter((slug) => !found.some((tag) => tag.slug === slug))
    if (missing.length > 0) throw notFound(`Tag not found: ${missing.join(', ')}`)
    return found.map(({ id, slug, color }) => ({ id, slug, color }))
  }
}

const without = (present: readonly Tag[], given: readonly Tag[]): Tag[] =>
  present.filter(({ id }) => !given.some((tag) => tag.id === id))
