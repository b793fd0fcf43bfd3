import { Api } from './api.ts'
import { findPostgres } from './built-server.ts'
import type { Options } from './options.ts'
import { createDataDirectory, type DataDirectory } from './server-process.ts'
import { Tenant } from './tenant.ts'

/** The server under measurement. */
export type Target = {
  tenant: Tenant
  /** Of a server of our own; another's process and database are not to be seen. */
  own: { pid: number; databaseUrl: string } | undefined
  stop: () => Promise<void>
}

type Surroundings = Parameters<DataDirectory['start']>[0]

export const openTarget = ({ url, credentials }: Options, surroundings: Surroundings): Promise<Target> =>
  url === undefined ? openOwnTarget(surroundings) : openOther(new Api(url, surroundings.signal), credentials)

const openOther = async (api: Api, credentials: Options['credentials']): Promise<Target> => ({
  tenant: await (credentials ? Tenant.join(api, credentials) : Tenant.found(api)),
  own: undefined,
  stop: () => Promise.resolve(),
})

/** The built server on a new data directory; nothing of it is left after `stop`. */
export const openOwnTarget = async (surroundings: Surroundings): Promise<Target> => {
  const directory = await createDataDirectory()
  try {
    const server = await directory.start(surroundings)
    const stop = async () => {
      await server.stop()
      await directory.remove()
    }
    try {
      const tenant = await Tenant.found(new Api(server.url, surroundings.signal))
      return { tenant, own: { pid: server.pid, databaseUrl: await findPostgres(directory.path) }, stop }
    } catch (error) {
      await server.stop()
      throw error
    }
  } catch (error) {
    await directory.remove()
    throw error
  }
}
