import { OpenIdProvider } from '../openid-provider.ts'
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

const AUDIENCE = 'bench'

/** Warm: the keys of the provider are known after the first. */
export const oidcLogin: RequestCase = {
  name: 'oidc-login',
  title: 'OIDC login',
  ceiling: 'select',
  goal: { share: 0.5 },
  prepare: async (tenant) => {
    const provider = await OpenIdProvider.start()
    const identityId = await tenant.createIdentity()
    await tenant.post(`/api/v1/auth/oidc-auth/identities/${identityId}`, {
      oidcDiscoveryUrl: provider.issuer,
      caCert: '',
      boundIssuer: provider.issuer,
      boundAudiences: AUDIENCE,
      boundClaims: {},
      boundSubject: 'bench',
    })
    const jwt = provider.token('bench', AUDIENCE)
    return { method: 'POST', path: '/api/v1/auth/oidc-auth/login', body: { identityId, jwt } }
  },
}
