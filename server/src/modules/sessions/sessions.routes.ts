import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../lib/app-error.ts'
import { bearerToken } from '../../platform/http/authentication.ts'
import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import { requireUser } from '../organizations/user-actor.ts'
import type { RefreshService } from './refresh.service.ts'
import type { SessionCookie } from './session-cookie.ts'
import { BySessionId, Message, RefreshAnswer, SessionList } from './sessions.schemas.ts'
import type { SessionService } from './sessions.service.ts'

const PATH = '/api/v2/users/me/sessions'
const endpoint = endpoints({ tag: 'Sessions', auth: ['user', 'user-without-organization'] })

type Services = { sessions: SessionService; refreshes: RefreshService }

export const sessionRoutes =
  ({ sessions, refreshes }: Services, cookie: SessionCookie): Routes =>
  (app) => {
    app.post('/api/v1/auth/checkAuth', endpoint('checkSession', { response: { 200: Message } }), () => ({
      message: 'Authenticated',
    }))

    app.post(
      '/api/v1/auth/token',
      endpoint('refreshSession', { auth: 'public', rateClass: 'auth', response: { 200: RefreshAnswer } }),
      async (request, reply) => {
        const refreshed = await refreshes
          .refresh(cookie.read(request), request.origin)
          .catch((error: unknown) => clearWhenUseless(error, cookie, reply))
        if (refreshed.refreshToken !== undefined) cookie.set(reply, refreshed.refreshToken)
        return { token: refreshed.accessToken, organizationId: refreshed.organizationId }
      },
    )

    app.post(
      '/api/v1/auth/logout',
      endpoint('logOut', { auth: 'public', response: { 200: Message } }),
      async (request, reply) => {
        const tokens = { accessToken: optionalBearer(request), refreshToken: cookie.read(request) }
        await sessions.logOut(tokens, request.origin)
        cookie.clear(reply)
        return { message: 'Logged out' }
      },
    )

    app.get(PATH, endpoint('listSessions', { response: { 200: SessionList } }), async ({ actor }) =>
      (await sessions.list(requireUser(actor))).map(({ lastUsedAt, ...session }) => ({
        ...session,
        lastUsed: lastUsedAt,
      })),
    )

    app.delete(PATH, endpoint('endSessions', { response: { 200: Message } }), async ({ actor }) => {
      await sessions.endAll(requireUser(actor))
      return { message: 'All sessions have been ended' }
    })

    app.delete(
      `${PATH}/:sessionId`,
      endpoint('endSession', { params: BySessionId, response: { 200: Message } }),
      async ({ actor, params }) => {
        await sessions.end(requireUser(actor), params.sessionId)
        return { message: 'The session has been ended' }
      },
    )
  }

/** A cookie that was refused is taken away; one that could not be looked at is not. */
const clearWhenUseless = (error: unknown, cookie: SessionCookie, reply: FastifyReply): never => {
  if (error instanceof AppError && error.kind !== 'unavailable') cookie.clear(reply)
  throw error
}

/** Of whatever is sent: logging out never fails for what the token is like. */
const optionalBearer = ({ headers }: FastifyRequest): string | undefined => {
  try {
    return bearerToken(headers.authorization)
  } catch {
    return undefined
  }
}
