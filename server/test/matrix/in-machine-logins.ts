import { type Case, inOrganization, inProject, type Sent, type Table } from './case.ts'
import { another, type Furnishing, type Place } from './place.ts'

type Prepare = NonNullable<Case['prepare']>
type Send = NonNullable<Case['send']>

const owned: Send = ({ ownedIdentityId, ownedClientSecretId, ownedTokenId }) => ({
  path: { identityId: ownedIdentityId, clientSecretId: ownedClientSecretId, tokenId: ownedTokenId },
})

/** Machines of an organization are managed by its roles, machines of a project by those of the project. */
const machines = (
  [ofOrganization, ofProject]: [string, string],
  { body, prepare = [] }: { body?: object; prepare?: Prepare[] } = {},
): Case[] => {
  const [forOrganization, forProject] = prepare
  const sent = (of: Sent): Sent => ({ ...of, ...(body && { body }) })
  return [
    inOrganization(ofOrganization, { ...(forOrganization && { prepare: forOrganization }), send: () => sent({}) }),
    inProject(ofProject, { ...(forProject && { prepare: forProject }), send: (of: Furnishing) => sent(owned(of)) }),
  ]
}

const READ: [string, string] = ['admin member', 'admin member viewer']
const EDIT: [string, string] = ['admin member', 'admin member']
const ADMIN: [string, string] = ['admin', 'admin']

const OIDC = { oidcDiscoveryUrl: 'https://127.0.0.1:1', boundIssuer: 'https://127.0.0.1:1', boundClaims: {} }
const BARE: Prepare[] = [another.identity, another.ownedIdentity]
const EQUIPPED: Prepare[] = [(place: Place) => another.machine(place), another.ownedMachine]

export const IN_MACHINE_LOGINS: Table = {
  getUniversalAuth: machines(READ),
  attachUniversalAuth: machines(ADMIN, { body: {}, prepare: BARE }),
  updateUniversalAuth: machines(ADMIN, { body: { accessTokenTTL: 60 } }),
  detachUniversalAuth: machines(ADMIN, { prepare: EQUIPPED }),
  clearUniversalAuthLockouts: machines(EDIT),
  listClientSecrets: machines(ADMIN),
  getClientSecret: machines(ADMIN),
  createClientSecret: machines(ADMIN, { body: {} }),
  revokeClientSecret: machines(ADMIN, { prepare: [another.clientSecret, another.ownedClientSecret] }),

  getTokenAuth: machines(READ),
  attachTokenAuth: machines(ADMIN, { body: {}, prepare: BARE }),
  updateTokenAuth: machines(ADMIN, { body: { accessTokenTTL: 60 } }),
  detachTokenAuth: machines(ADMIN, { prepare: EQUIPPED }),
  listTokenAuthTokens: machines(READ),
  getTokenAuthTokenOfIdentity: machines(READ),
  getTokenAuthToken: machines(READ),
  createTokenAuthToken: machines(ADMIN, { body: {} }),
  updateTokenAuthToken: machines(ADMIN, { body: { name: 'renamed' } }),
  revokeTokenAuthToken: machines(EDIT, { prepare: [another.token, another.ownedToken] }),

  getOidcAuth: machines(READ),
  attachOidcAuth: machines(ADMIN, { body: OIDC, prepare: BARE }),
  updateOidcAuth: machines(ADMIN, { body: { accessTokenTTL: 60 } }),
  detachOidcAuth: machines(ADMIN, { prepare: EQUIPPED }),
}
