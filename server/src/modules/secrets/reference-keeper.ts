import { badRequest } from '../../lib/app-error.ts'
import type { Tx } from '../../platform/db/db.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import { type Renaming, rewritten } from './reference-rewrites.ts'
import { namesOf } from './reference-targets.ts'
import type { SecretBox } from './secret-box.ts'
import { recordOfMany } from './secret-records.ts'
import type { Located, SecretWriter, Telling } from './secret-writer.ts'
import { lockReferring } from './secrets.store.ts'

type Deps = { box: SecretBox; writer: SecretWriter; audit: AuditLog }
type Referring = Located & { environmentId: string }
/** The folder in which secrets had other names, or were. */
export type FormerFolder = { folderId: string; environment: string; path: string }

const PLATFORM = { type: 'platform' as const, id: null }
/** Each is opened and written anew. */
const REWRITTEN_MAX = 500

/** Lets the secrets of a project that refer to a renamed one follow it, as versions that nobody has written. */
export class ReferenceKeeper {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** In the transaction that renamed them, and after it did. `folder` is where they had their old names. */
  async follow(tx: Tx, telling: Telling, folder: FormerFolder, renamings: readonly Renaming[]): Promise<void> {
    if (renamings.length === 0) return
    const { project } = telling
    const referring = await this.#referring(tx, telling, folder)
    for (const environment of project.environments) {
      const writing = { ...telling, actor: PLATFORM, environment }
      const changes = referring
        .filter((secret) => secret.environmentId === environment.id)
        .map((before) => ({ before, after: { ...before, value: rewrittenAt(environment.slug, before, renamings) } }))
        .filter(({ before, after }) => before.value !== after.value)
      if (changes.length === 0) continue
      const written = changes.map(({ after }) => after)
      await this.#deps.writer.lockTouched(tx, writing, written)
      const paths = written.map(({ path }) => path)
      const standing = await this.#deps.writer.standing(tx, writing, paths)
      const secrets = await this.#deps.writer.update(tx, writing, changes, standing)
      const where = { environment: environment.slug, path: folder.path, projectId: project.id }
      const record = recordOfMany('update', where, secrets)
      await this.#deps.audit.record(tx, PLATFORM, { ...record, organizationId: project.organizationId })
    }
  }

  async #referring(tx: Tx, { project }: Telling, { folderId, environment, path }: FormerFolder): Promise<Referring[]> {
    const owner = { organizationId: project.organizationId, projectId: project.id }
    const [name = ''] = namesOf({ ...owner, projectSlug: project.slug, environment, path })
    const rows = await lockReferring(tx, { folderId, name, limit: REWRITTEN_MAX + 1 })
    if (rows.length > REWRITTEN_MAX) {
      throw badRequest(
        `More than ${REWRITTEN_MAX} secrets refer to secrets of this folder: too many to follow a new name`,
      )
    }
    return this.#deps.box.open(tx, owner, rows)
  }
}

const rewrittenAt = (environment: string, { value, path }: Referring, renamings: readonly Renaming[]): string =>
  rewritten(value, { environment, path }, renamings)
