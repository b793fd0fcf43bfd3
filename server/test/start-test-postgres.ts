import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startEmbeddedPostgres } from '../src/platform/postgres/embedded-postgres.ts'

/** A PostgreSQL for one run of tests, in a folder of its own; nothing of it is left after `stop`. */
export const startTestPostgres = async (): Promise<{ url: string; stop: () => Promise<void> }> => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'holdfast-test-'))
  const postgres = await startEmbeddedPostgres({ dataDir, ephemeral: true, report: () => undefined })
  return {
    url: postgres.url,
    stop: async () => {
      await postgres.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
