import type { TestServer } from './test-server.ts'

export const PASSWORD = 'correct horse battery 9'

type Account = { email: string; password: string; organizationId?: string }

/** An access token of a user, for an organization where one is given. */
export const logIn = async (server: TestServer, { email, password, organizationId }: Account): Promise<string> => {
  const login = await server.post('/api/v3/auth/login', { email, password })
  if (login.status !== 200) throw new Error(`login answered ${login.status}: ${login.text}`)
  if (organizationId === undefined) return login.body.accessToken as string
  const token = login.body.accessToken as string
  const selection = await server.post('/api/v3/auth/select-organization', { organizationId }, { token })
  if (selection.status !== 200) throw new Error(`select-organization answered ${selection.status}: ${selection.text}`)
  return selection.body.token as string
}

/** What an invitation's link says. */
export const readLink = (link: string) => {
  const { hash, origin, pathname } = new URL(link)
  const values = new URLSearchParams(hash.slice(1))
  return {
    page: `${origin}${pathname}`,
    code: values.get('token') ?? '',
    email: values.get('to') ?? '',
    organizationId: values.get('organization_id') ?? '',
  }
}

/** Invites someone, and completes the account: a member of the organization, logged in there. */
export const joinAs = async (
  server: TestServer,
  {
    token,
    organizationId,
    email,
    role = 'member',
  }: { token: string; organizationId: string; email: string; role?: string },
) => {
  const invitation = { inviteeEmails: [email], organizationId, organizationRoleSlug: role }
  const invited = await server.post('/api/v1/invite-org/signup', invitation, { token })
  if (invited.status !== 200) throw new Error(`invite answered ${invited.status}: ${invited.text}`)
  const { code } = readLink(invited.body.completeInviteLinks[0].link as string)
  const verified = await server.post('/api/v1/invite-org/verify', { email, organizationId, code })
  const account = { type: 'email', email, firstName: 'Ada', lastName: 'Lovelace', password: PASSWORD }
  const completed = await server.post('/api/v3/signup/complete-account', account, {
    token: verified.body.token as string,
  })
  if (completed.status !== 200) throw new Error(`complete-account answered ${completed.status}: ${completed.text}`)
  return {
    email,
    userId: completed.body.user.id as string,
    token: await logIn(server, { email, password: PASSWORD, organizationId }),
  }
}

/** The claims of a token, unverified. */
export const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>
