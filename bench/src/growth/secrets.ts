import { Folder } from '../folder.ts'
import type { Series } from './series.ts'

/** Updating is measured on one of them, so that their number stays. */
export const secrets: Series = {
  title: 'secrets of a folder',
  sizes: [10, 100, 1_000, 10_000],
  prepare: async (tenant) => {
    const folder = await Folder.create(tenant, await tenant.createProject())
    return {
      growTo: (size) => folder.growTo(size),
      requests: () =>
        Promise.resolve({
          'list of all': folder.listRequest(),
          'get one': folder.getRequest('SECRET_0'),
          'update one': folder.updateRequest('SECRET_0'),
        }),
    }
  },
}
