import type pg from 'pg'
import type { Config } from '../config.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { loadLicense } from '../modules/licenses/license-settings.ts'
import { databaseProblem } from './database-problem.ts'
import { CHECKS, connect } from './doctor-checks.ts'
import { type Installation, joinInstallation } from './installation.ts'
import { Progress } from './progress.ts'

/** Looks at everything that can be wrong with a set-up, and changes none of it. Exit code 1 if anything is wrong. */
export const doctor = async (readConfig: () => Config): Promise<0 | 1> => {
  const findings = new Findings()
  await examine(findings, readConfig)
  return findings.conclude()
}

/** Goes on for as long as what comes next can be looked at. */
const examine = async (findings: Findings, readConfig: () => Config): Promise<void> => {
  const config = await findings.look('The configuration is valid', () => Promise.resolve(readConfig()))
  if (!config) return
  const { license, database } = config
  if (license.token !== undefined || license.file !== undefined)
    await findings.look('The licence is valid', () => Promise.resolve(loadLicense(license)))

  const title = database.url === undefined ? 'The data directory can be used' : 'The root key can be read'
  const installation = await findings.look(title, () => join(config, findings.progress))
  if (!installation) return
  try {
    await examineDatabase(findings, config, installation)
  } finally {
    await installation.close()
  }
}

const examineDatabase = async (findings: Findings, config: Config, installation: Installation): Promise<void> => {
  const client = await findings.look(`The database answers (${installation.description})`, () =>
    connectBothWays(config, installation),
  )
  if (!client) return
  try {
    for (const { title, run } of CHECKS) {
      const note = await findings.look(title, () => run({ config, installation, client }))
      if (typeof note === 'string') findings.explain(note)
    }
  } finally {
    await client.end()
  }
}

/** A database that is not there yet is not made. */
const join = async (config: Config, progress: Progress): Promise<Installation> => {
  const { database, dataDir } = config
  if (database.url === undefined && !(await hasDatabase(dataDir))) {
    throw new OperatorError(
      `There is no database in ${dataDir} yet: npm start makes one. If yours is elsewhere, set DATABASE_URL or HOLDFAST_DATA_DIR`,
    )
  }
  return joinInstallation(config, progress)
}

const hasDatabase = async (dataDir: string): Promise<boolean> => {
  const { readMarker } = await import('../platform/postgres/data-directory.ts')
  const { asDataDirectoryError } = await import('../platform/postgres/data-directory-error.ts')
  try {
    return (await readMarker(dataDir)) !== undefined
  } catch (error) {
    throw asDataDirectoryError(error, dataDir)
  }
}

/** As requests reach it, and around any pooler. The second way is given back. */
const connectBothWays = async ({ database }: Config, { directUrl }: Installation): Promise<pg.Client> => {
  if (database.url !== undefined && database.url !== directUrl) await (await connect(database.url)).end()
  return connect(directUrl)
}

/** Tells line by line what was looked at, and counts what is wrong. */
class Findings {
  readonly progress = new Progress()
  #faults = 0

  /** Undefined when it is wrong, which then has been said. */
  async look<T>(title: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await work()
      this.progress.line(`  ✓ ${title}`)
      return result
    } catch (error) {
      const complaint = error instanceof OperatorError ? error.message : databaseProblem(error)?.advice
      if (complaint === undefined) throw error
      this.#faults++
      this.progress.line(`  ✗ ${title}`)
      this.explain(complaint)
      return undefined
    }
  }

  explain(text: string): void {
    this.progress.line(text.replace(/^/gm, '      '))
  }

  conclude(): 0 | 1 {
    const wrong = this.#faults === 1 ? '1 thing is wrong' : `${this.#faults} things are wrong`
    this.progress.line(this.#faults === 0 ? '\n  Nothing is wrong.' : `\n  ${wrong}.`)
    return this.#faults === 0 ? 0 : 1
  }
}
