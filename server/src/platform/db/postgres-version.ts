import type pg from 'pg'
import { OperatorError } from '../../lib/operator-error.ts'

/** The oldest that all tests have been run on. */
export const POSTGRES_MAJOR_MIN = 14

/** Throws unless this PostgreSQL is new enough. Only reads, so it may come before everything else. */
export const requirePostgresVersion = async (client: pg.Client): Promise<void> => {
  const { rows } = await client.query<{ number: number; version: string }>(
    `select current_setting('server_version_num')::integer as number, current_setting('server_version') as version`,
  )
  const { number = 0, version = 'unknown' } = rows[0] ?? {}
  if (number >= POSTGRES_MAJOR_MIN * 10_000) return
  throw new OperatorError(
    `PostgreSQL ${version} is too old, Holdfast needs ${POSTGRES_MAJOR_MIN} or later: upgrade it, or set DATABASE_URL to another`,
  )
}
