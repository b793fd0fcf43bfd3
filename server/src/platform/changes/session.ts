import type pg from 'pg'
import { connectDirectly } from '../db/connection.ts'
import { isConnectionFailure } from '../db/failures.ts'
import { type Read, readSince } from './read.ts'

export type SessionOptions = { url: string; applicationName: string }

const CHANNEL = 'changes'
/** A server that does not answer for this long is given up, and another connection tried. */
const ANSWER_MS_MAX = 5_000
/** For disks that stall, on top of what PostgreSQL promises. */
const FLUSH_MARGIN_MS = 1_500

/**
 * Only hints are written here, so no commit waits for the disk. A read has to follow the index even when statistics
 * are out of date, and is planned once.
 */
const SETUP = `
  set synchronous_commit = off;
  set default_transaction_isolation = 'read committed';
  set plan_cache_mode = force_generic_plan;
  set enable_seqscan = off;
  set enable_bitmapscan = off;
  set max_parallel_workers_per_gather = 0;
  set jit = off;
  listen ${CHANNEL}`

/** Whose history this is, as any role may ask it. */
const IDENTITY = [
  'select system_identifier::text as value from pg_control_system()',
  // The timeline: the control file would show a promotion only after its first checkpoint.
  'select left(pg_walfile_name(pg_current_wal_lsn()), 8) as value',
]

/** The feed's own connection. It listens from the start, and does one thing at a time. */
export class Session {
  readonly #client: pg.Client
  #identity = ''
  #durableAfterMs = Infinity

  private constructor(client: pg.Client) {
    this.#client = client
  }

  /** `onNews` is called when another process has committed something, and when the connection ends. */
  static async open(options: SessionOptions, onNews: () => void): Promise<Session> {
    const session = new Session(await connectDirectly({ ...options, statementTimeoutMs: ANSWER_MS_MAX }))
    try {
      await session.#prepare(onNews)
      return session
    } catch (error) {
      await session.close()
      throw error
    }
  }

  /** System identifier and timeline. Where the database will not tell, the snapshots alone must show a break. */
  get identity(): string {
    return this.#identity
  }

  /**
   * After a crash PostgreSQL gives out again those xids that no log record on disk speaks of. What ended longer ago
   * than this is on disk: each end of a transaction writes a record, and no record waits longer than three delays.
   * https://www.postgresql.org/docs/current/wal-async-commit.html
   */
  get durableAfterMs(): number {
    return this.#durableAfterMs
  }

  read(snapshot: string | undefined): Promise<Read> {
    return this.#answered(readSince(this.#client, snapshot))
  }

  async notify(): Promise<void> {
    await this.#answered(this.#client.query(`notify ${CHANNEL}`))
  }

  async close(): Promise<void> {
    const ended = this.#client.end()
    // A server that has gone silent would never say goodbye.
    this.#client.connection.stream.destroy()
    await ended
  }

  async #prepare(onNews: () => void): Promise<void> {
    await this.#answered(this.#client.query(SETUP))
    const own = await this.#ask<number>('select pg_backend_pid() as value')
    this.#client.on('notification', ({ processId }) => {
      if (processId !== own) onNews()
    })
    this.#client.on('end', onNews)
    const walWriterDelayMs = await this.#ask<number>(
      `select setting::float8 as value from pg_settings where name = 'wal_writer_delay'`,
    )
    this.#durableAfterMs = 3 * walWriterDelayMs + FLUSH_MARGIN_MS
    for (const question of IDENTITY) this.#identity += `${await this.#ask<string>(question).catch(unlessRefused)}/`
  }

  async #ask<T>(question: string): Promise<T> {
    const { rows } = await this.#answered(this.#client.query<{ value: T }>(question))
    const [row] = rows
    if (!row) throw new Error(`No answer to: ${question}`)
    return row.value
  }

  async #answered<T>(answer: Promise<T>): Promise<T> {
    const timer = setTimeout(() => void this.close(), ANSWER_MS_MAX)
    try {
      return await answer
    } finally {
      clearTimeout(timer)
    }
  }
}

const unlessRefused = (error: unknown): string => {
  if (isConnectionFailure(error)) throw error
  return 'unknown'
}
