import { inParallel } from '../api.ts'
import { login } from '../cases/login.ts'
import { projectBySlug } from '../cases/projects.ts'
import { tokenValidation } from '../cases/identities.ts'
import { Skipped } from '../skipped.ts'
import type { Series } from './series.ts'

export const organizations: Series = {
  title: 'organizations of the server',
  sizes: [1, 10, 100, 1_000],
  prepare: async (tenant) => {
    const { person, api } = tenant
    if (!person) throw new Skipped('not measured: only on a server of its own')
    const token = (await api.post('/api/v3/auth/login', person)).text('accessToken')
    let count = 1
    return {
      growTo: async (size) => {
        const create = (number: number) => api.post('/api/v2/organizations', { name: `Bench ${number}` }, token)
        await inParallel({ from: count, to: size }, create)
        count = size
      },
      requests: () =>
        tenant.once('requests beside organizations', async () => ({
          login: await login.prepare(tenant),
          'token validation': await tokenValidation.prepare(tenant),
          'project by slug': await projectBySlug.prepare(tenant),
        })),
    }
  },
}
