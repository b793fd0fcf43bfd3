import { inOrganization, open, signedIn, type Table } from './case.ts'
import { another } from './place.ts'

const NOBODY = { email: 'nobody@example.com', password: 'wrong horse battery 9' }
const NO_TOKEN = { body: { accessToken: 'none' } }

/** People and machines at the door, and what each may do to itself. */
export const IN_SESSIONS: Table = {
  getStatus: open(200),
  isAlive: open(200),
  isReady: open(200),
  getInstanceSettings: open(200),
  bootstrapInstance: open(400, { send: () => ({ body: { ...NOBODY, organization: 'Second' } }) }),
  signUpInstanceAdmin: open(400, { send: () => ({ body: { ...NOBODY, firstName: 'Ada' } }) }),
  logIn: open(400, { send: () => ({ body: NOBODY }) }),
  logInWithoutPassword: open(400, { send: () => ({ body: { email: NOBODY.email, clientPublicKey: 'none' } }) }),
  signUp: open(403, { send: () => ({ body: { email: NOBODY.email } }) }),
  verifyInvitation: open(400, {
    send: ({ organizationId }) => ({ body: { email: NOBODY.email, organizationId, code: 'none' } }),
  }),
  completeAccount: open(401, { send: () => ({ body: { ...NOBODY, type: 'email', firstName: 'Ada' } }) }),
  loginWithUniversalAuth: open(401, { send: () => ({ body: { clientId: 'none', clientSecret: 'none' } }) }),
  loginWithOidcAuth: open(401, { send: ({ identityId }) => ({ body: { identityId, jwt: 'none' } }) }),
  renewAccessToken: open(403, { send: () => NO_TOKEN }),
  revokeAccessToken: open(403, { send: () => NO_TOKEN }),
  refreshSession: open(404),
  logOut: open(200),

  checkSession: signedIn(),
  getUser: signedIn(),
  getCurrentUser: signedIn(),
  renameCurrentUser: signedIn({ send: () => ({ body: { firstName: 'Ada', lastName: 'Lovelace' } }) }),
  listSessions: signedIn(),
  endSession: signedIn({ prepare: another.session, send: ({ sessionToken }) => ({ token: sessionToken }) }),
  endSessions: signedIn({ prepare: another.session, send: ({ sessionToken }) => ({ token: sessionToken }) }),
  selectOrganization: inOrganization('admin member no-access', {
    send: ({ organizationId }) => ({ body: { organizationId } }),
  }),
}
