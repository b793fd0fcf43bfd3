import { inParallel } from '../api.ts'
import { ProjectMember } from '../project-member.ts'
import type { Series } from './series.ts'

/** Privileges are not created under load here: that would make more of them than the size says. */
export const privileges: Series = {
  title: 'privileges of an identity',
  sizes: [1, 10, 100, 1_000],
  prepare: async (tenant) => {
    const member = await ProjectMember.add(tenant, await tenant.createProject())
    const first = await member.grant('grant-0')
    let count = 1
    return {
      growTo: async (size) => {
        await inParallel({ from: count, to: size }, (number) => member.grant(`grant-${number}`))
        count = size
      },
      requests: () => Promise.resolve({ get: member.getRequest(first), 'list of all': member.listRequest() }),
    }
  },
}
