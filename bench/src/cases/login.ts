import type { RequestCase } from './case.ts'

export const login: RequestCase = {
  name: 'login',
  title: 'universal-auth login',
  ceiling: 'select',
  goal: { share: 0.5, perSecond: 2_060 },
  connections: [1, 16, 64],
  prepare: async (tenant) => {
    const { clientId, clientSecret } = await tenant.createLogin()
    return { method: 'POST', path: '/api/v1/auth/universal-auth/login', body: { clientId, clientSecret } }
  },
}
