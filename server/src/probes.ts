import { timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { Config } from './config.ts'
import { notFound, unavailable } from './lib/app-error.ts'
import type { ChangeFeed } from './platform/changes/feed.ts'
import { bearerToken } from './platform/http/authentication.ts'
import { endpoints } from './platform/http/endpoint.ts'
import type { Routes } from './platform/http/route.ts'
import type { Metrics } from './platform/metrics/metrics.ts'

type Deps = { config: Config; changes: ChangeFeed; metrics: Metrics | undefined }

/** News that is older than this means that the database does not answer. */
const FEED_AGE_MS_MAX = 5_000

const endpoint = endpoints({ tag: 'Operation', auth: 'public' })
const response = { 200: z.object({ status: z.literal('ok') }) }

/** For those who run the server: is it alive, can it serve, how does it fare. */
export const probeRoutes =
  ({ config: { metricsToken }, changes, metrics }: Deps, isReady: () => boolean): Routes =>
  (app) => {
    app.get(
      '/livez',
      endpoint('isAlive', { summary: 'The process runs', response, isProbe: true, rateClass: false }),
      () => ({
        status: 'ok' as const,
      }),
    )

    app.get(
      '/readyz',
      endpoint('isReady', { summary: 'The server can serve', response, isProbe: true, rateClass: false }),
      () => {
        if (!isReady() || changes.readAgeMs > FEED_AGE_MS_MAX) throw unavailable('The database does not answer')
        return { status: 'ok' as const }
      },
    )

    if (metricsToken === undefined || !metrics) return
    const metricsEndpoint = endpoint('getMetrics', {
      summary: 'Metrics for Prometheus',
      response: { 200: z.string() },
      produces: 'text/plain',
      isProbe: true,
      rateClass: false,
      serialize: String,
    })
    app.get('/metrics', metricsEndpoint, async ({ headers }, reply) => {
      if (!isSame(bearerToken(headers.authorization), metricsToken)) throw notFound('Route GET:/metrics not found')
      reply.type(metrics.contentType)
      return metrics.render()
    })
  }

const isSame = (left: string, right: string): boolean => {
  const [a, b] = [Buffer.from(left), Buffer.from(right)]
  return a.length === b.length && timingSafeEqual(a, b)
}
