import type { RequestCase } from './case.ts'

export const tokenValidation: RequestCase = {
  name: 'token',
  title: 'token validation, warm',
  ceiling: 'bare',
  goal: { share: 0.5 },
  prepare: ({ token }) => Promise.resolve({ method: 'GET', path: '/api/v1/identities/details', token }),
}

export const identityGet: RequestCase = {
  name: 'identity-get',
  title: 'identity get',
  ceiling: 'select',
  goal: { share: 0.6 },
  prepare: async (tenant) => ({
    method: 'GET',
    path: `/api/v1/identities/${await tenant.createIdentity()}`,
    token: tenant.token,
  }),
}
