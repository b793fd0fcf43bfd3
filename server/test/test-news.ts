import { sql } from 'kysely'
import type { Db } from '../src/platform/db/db.ts'

type Row = { seq: string; kind: string; projectId: string; environment: string; path: string; keys: string[] | null }

/** What is told of secrets from now on: `secret-created dev /a A B`, with the project in front when it is another one. */
export class NewsReader {
  readonly #db: Db
  readonly #projectId: string
  #last = '0'

  constructor(db: Db, projectId: string) {
    this.#db = db
    this.#projectId = projectId
  }

  /** Since the last time, in order. */
  async next(): Promise<string[]> {
    const { rows } = await sql<Row>`
      select seq, kind, body ->> 'projectId' as project_id, body ->> 'environment' as environment,
        body ->> 'path' as path, body -> 'keys' as keys
      from changes
      where seq > ${this.#last} and kind in ('secret-created', 'secret-updated', 'secret-deleted', 'import-mutated')
      order by seq`.execute(this.#db)
    this.#last = rows.at(-1)?.seq ?? this.#last
    return rows.map((row) => this.#text(row))
  }

  async skip(): Promise<void> {
    await this.next()
  }

  #text({ kind, projectId, environment, path, keys }: Row): string {
    const where = projectId === this.#projectId ? [] : ['elsewhere']
    return [...where, kind, environment, path, ...(keys ?? [])].join(' ')
  }
}
