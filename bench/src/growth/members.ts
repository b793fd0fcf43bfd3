import { Group, PAGE } from '../group.ts'
import type { Series } from './series.ts'

export const members: Series = {
  title: 'members of a group',
  sizes: [100, 1_000, 10_000, 100_000],
  prepare: async (tenant) => {
    const group = await Group.create(tenant)
    return {
      growTo: (size) => group.growTo(size),
      requests: (size) =>
        Promise.resolve({
          'first page of 100': group.pageRequest(0),
          'last page of 100': group.pageRequest(size - PAGE),
        }),
    }
  },
}
