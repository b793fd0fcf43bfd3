import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import { requireUser } from '../organizations/user-actor.ts'
import { CurrentUserAnswer, FORMER_KEYS, NewNames, UserAnswer, userOnWire } from './users.schemas.ts'
import type { UserService } from './users.service.ts'

const endpoint = endpoints({ tag: 'Users', auth: ['user', 'user-without-organization'] })

export const userRoutes =
  (users: UserService): Routes =>
  (app) => {
    app.get('/api/v1/user', endpoint('getUser', { response: { 200: UserAnswer } }), async ({ actor }) => ({
      user: userOnWire(await users.get(requireUser(actor))),
    }))

    app.get(
      '/api/v2/users/me',
      endpoint('getCurrentUser', { auth: ['user'], response: { 200: CurrentUserAnswer } }),
      async ({ actor }) => ({ user: { ...userOnWire(await users.get(requireUser(actor))), ...FORMER_KEYS } }),
    )

    app.patch(
      '/api/v2/users/me/name',
      endpoint('renameCurrentUser', { body: NewNames, response: { 200: UserAnswer } }),
      async ({ actor, body }) => ({ user: userOnWire(await users.rename(requireUser(actor), body)) }),
    )
  }
