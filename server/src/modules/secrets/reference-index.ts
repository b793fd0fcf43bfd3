import { CannotOpenError } from '../../platform/crypto/aead.ts'
import type { Database, Tx } from '../../platform/db/db.ts'
import type { Job } from '../../platform/jobs/job-runner.ts'
import { targetsOf } from './reference-targets.ts'
import type { SecretBox } from './secret-box.ts'
import { setReferenced } from './secret-writes.store.ts'
import { lockNotLookedAt } from './secrets.store.ts'

type Deps = { db: Database; box: SecretBox }
type Row = Awaited<ReturnType<typeof lockNotLookedAt>>[number]

const EVERY_MS = 60_000
const AT_ONCE = 100

/** Finds out what secrets refer to that were written by a version of the server that did not note it. */
export class ReferenceIndex {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  readonly job: Job = { name: 'index references', everyMs: EVERY_MS, run: () => this.complete() }

  async complete(): Promise<void> {
    for (;;) {
      const count = await this.#deps.db.transaction((tx) => this.#completeSome(tx))
      if (count < AT_ONCE) return
    }
  }

  async #completeSome(tx: Tx): Promise<number> {
    const rows = await lockNotLookedAt(tx, AT_ONCE)
    const found: { id: string; referenced: string[] }[] = []
    for (const row of rows) found.push({ id: row.id, referenced: await this.#look(tx, row) })
    if (found.length > 0) await setReferenced(tx, found)
    return rows.length
  }

  async #look(tx: Tx, { owner, ...row }: Row): Promise<string[]> {
    try {
      const [secret] = await this.#deps.box.open(tx, owner, [row])
      return secret ? targetsOf(secret.value, owner) : []
    } catch (error) {
      // What nobody can read refers to nothing, and must not keep the others from being looked at.
      if (error instanceof CannotOpenError) return []
      throw error
    }
  }
}
