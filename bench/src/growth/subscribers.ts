import { Folder } from '../folder.ts'
import { Skipped } from '../skipped.ts'
import { Audience } from '../streams/audience.ts'
import type { Series } from './series.ts'

/** An update is told to all of them; a read is nobody's news. */
export const subscribers: Series = {
  title: 'streams of a project',
  sizes: [10, 100, 1_000, 5_000],
  prepare: async (tenant, databaseUrl) => {
    if (databaseUrl === undefined) throw new Skipped('not measured: only on a server of its own')
    const project = await tenant.createProject()
    const folder = await Folder.create(tenant, project, 1)
    const audience = new Audience()
    const subscription = { url: new URL(tenant.api.url), token: tenant.token, projectId: project.id }
    return {
      growTo: async (size) => {
        await audience.gather(subscription, size)
      },
      requests: () =>
        Promise.resolve({ 'get one': folder.getRequest('SECRET_0'), 'update one': folder.updateRequest('SECRET_0') }),
      close: () => audience.leave(),
    }
  },
}
