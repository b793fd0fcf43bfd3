import { Group, PAGE } from '../group.ts'
import type { Series } from './series.ts'

export const members: Series = {
  title: 'members of a group',
  sizes: [100, 1_000, 10_000, 100_000],
  prepare: (tenant, databaseUrl) => {
    let group: Group
    return Promise.resolve({
      growTo: async (size) => {
        group = await Group.create(tenant, size, databaseUrl)
      },
      requests: (size) =>
        Promise.resolve({
          'first page of 100': group.pageRequest(0),
          'last page of 100': group.pageRequest(size - PAGE),
        }),
    })
  },
}
