import { bearerToken } from '../../platform/http/authentication.ts'
import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import type { InviteService } from './invites.service.ts'
import type { SessionCookie } from './session-cookie.ts'
import {
  Invitation,
  InvitationAnswer,
  NewAccount,
  NewAccountAnswer,
  ShownInvitation,
  ShownInvitationAnswer,
} from './sessions.schemas.ts'
import type { SignUpService } from './sign-up.service.ts'

const endpoint = endpoints({ tag: 'Invitations', auth: 'public' })

type Services = { invites: InviteService; signUps: SignUpService }

export const inviteRoutes =
  ({ invites, signUps }: Services, cookie: SessionCookie): Routes =>
  (app) => {
    app.post(
      '/api/v1/invite-org/signup',
      endpoint('inviteToOrganization', {
        auth: ['user'],
        rateClass: 'invite',
        body: Invitation,
        response: { 200: InvitationAnswer },
      }),
      async ({ actor, body }) => {
        const { inviteeEmails: emails, organizationRoleSlug: roleSlug, organizationId, projectIds } = body
        const links = await invites.invite(actor, { emails, organizationId, roleSlug, projectIds })
        return { message: 'Pass each link on to whom it is for', completeInviteLinks: links }
      },
    )

    app.post(
      '/api/v1/invite-org/verify',
      endpoint('verifyInvitation', {
        rateClass: 'auth',
        body: ShownInvitation,
        response: { 200: ShownInvitationAnswer },
      }),
      async ({ body }) => {
        const { organizationName, signUpToken } = await invites.verify(body)
        return { message: 'The invitation is valid', token: signUpToken, organizationName }
      },
    )

    app.post(
      '/api/v3/signup/complete-account',
      endpoint('completeAccount', { rateClass: 'auth', body: NewAccount, response: { 200: NewAccountAnswer } }),
      async ({ headers, body, origin }, reply) => {
        const { user, ...tokens } = await signUps.completeAccount(bearerToken(headers.authorization), body, origin)
        cookie.set(reply, tokens.refreshToken)
        return { message: 'The account has been completed', user, token: tokens.accessToken }
      },
    )
  }
