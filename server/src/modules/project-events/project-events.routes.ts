import { notFound } from '../../lib/app-error.ts'
import { bearerToken } from '../../platform/http/authentication.ts'
import { endpoints } from '../../platform/http/endpoint.ts'
import { openStream } from '../../platform/http/open-stream.ts'
import type { Routes } from '../../platform/http/route.ts'
import { PING } from './project-event.ts'
import * as schemas from './project-events.schemas.ts'
import type { ProjectEventService } from './project-events.service.ts'

const PATH = '/api/v1/events/subscribe/project-events'
const endpoint = endpoints({ tag: 'Events', auth: ['user', 'identity'] })

export const projectEventRoutes =
  (events: ProjectEventService): Routes =>
  (app) => {
    app.post(
      PATH,
      endpoint('subscribeToProjectEvents', {
        summary: 'Hear of every change of secrets as it happens',
        description:
          'Answers with a stream of server-sent events that stays open until the right to it ends. What happens while nobody listens is not sent later.',
        body: schemas.Subscription,
        response: { 200: schemas.EventStreamText },
        produces: 'text/event-stream',
      }),
      async (request, reply) => {
        // A stream has no length, and HTTP/1.0 knows no other way to tell where it ends.
        if (request.raw.httpVersion === '1.0') throw notFound('Event streams need HTTP/1.1')
        const { actor, body, headers } = request
        const accessToken = bearerToken(headers.authorization)
        await events.subscribe({ actor, accessToken, subscription: body }, () =>
          request.raw.socket.destroyed ? undefined : openStream(request, reply, PING),
        )
        return reply
      },
    )
  }
