import { authentication } from './authentication.ts'
import { createFoundation, type Foundation, type FoundationDeps, prepareDatabase } from './foundation.ts'
import { unavailable } from './lib/app-error.ts'
import { auditRefusals } from './modules/audit/refusals.ts'
import { measureStreams } from './modules/project-events/stream-metrics.ts'
import { sessionJobs } from './modules/sessions/session-jobs.ts'
import { USER_TOKEN_TYPE } from './modules/sessions/user-tokens.ts'
import { connectDirectly } from './platform/db/connection.ts'
import { drain } from './platform/http/drain.ts'
import { createHttpServer } from './platform/http/http-server.ts'
import type { HttpServer } from './platform/http/route.ts'
import { type Job, JobRunner } from './platform/jobs/job-runner.ts'
import { Metrics } from './platform/metrics/metrics.ts'
import { probeRoutes } from './probes.ts'
import { allRoutes } from './routes.ts'
import { createServices, type Services } from './services.ts'

const PRUNE_EVERY_MS = 60_000
const DRAIN_MS_MAX = 10_000

/** The server without a port: everything wired, nothing running until `prepare`. */
export type App = {
  http: HttpServer
  services: Services
  /** Checks the root key, migrates and starts what runs in the background. Until it is done requests are answered 503. */
  prepare: (report: (progress: string) => void) => Promise<void>
  stop: () => Promise<void>
}

export const createApp = (deps: FoundationDeps): App => {
  const foundation = createFoundation(deps)
  const services = createServices(foundation)
  const { direct, changes, log } = foundation
  const runner = new JobRunner({ connect: () => connectDirectly(direct), jobs: jobsOf(services), log })
  let isReady = false
  const http = createHttp(foundation, services, () => isReady)
  return {
    http,
    services,
    prepare: async (report) => {
      await prepareDatabase(foundation, { report, mayMigrate: true })
      await services.licenses.prepare()
      changes.start()
      await changes.readNow()
      runner.start()
      isReady = true
    },
    stop: async () => {
      await Promise.all([drain(http, { timeoutMs: DRAIN_MS_MAX }), services.eventStreams.close()])
      await services.close()
      await runner.stop()
      await changes.stop()
    },
  }
}

/** What one process of the cluster does for all. */
const jobsOf = (services: Services): Job[] => [
  services.auditSealer.job,
  services.auditRetention.job,
  services.licenses.reminderJob,
  services.accessTokens.purgeJob,
  services.listedTokens.purgeJob,
  services.universalAuthLogin.purgeJob,
  services.providerKeys.purgeJob,
  ...sessionJobs(services),
  services.environmentLifecycle.purgeJob,
  services.referenceIndex.job,
  services.revocations.job,
  services.authorityRenewals.job,
  services.streamSlots.purgeJob,
  { name: 'prune changes', everyMs: PRUNE_EVERY_MS, run: () => services.changes.prune().then(() => undefined) },
]

const createHttp = (foundation: Foundation, services: Services, isReady: () => boolean): HttpServer => {
  const { config, log, signer, clock } = foundation
  const metrics = createMetrics(foundation, services)
  const verifiers = { identityAccessToken: services.accessTokens, [USER_TOKEN_TYPE]: services.sessions }
  const authenticate = authentication({ signer, clock, verifiers })
  const starting = () =>
    unavailable('The server is starting and has not reached its database yet', { retryAfterSeconds: 1 })
  const http = createHttpServer({
    logger: log,
    siteUrl: config.siteUrl,
    corsAllowedOrigins: config.corsAllowedOrigins,
    trustedProxyCidrs: config.trustedProxyCidrs,
    rateLimits: config.rateLimits,
    authenticate,
    isReady: () => isReady() || starting(),
    onRefused: auditRefusals(services.audit),
    ...(metrics && { onResponse: metrics.observeRequest.bind(metrics) }),
  })
  for (const routes of [probeRoutes({ ...foundation, metrics }, isReady), ...allRoutes(services, authenticate)]) {
    void http.register(routes)
  }
  return http
}

/** Undefined when nobody may read them. */
const createMetrics = ({ config, db, changes }: Foundation, services: Services): Metrics | undefined => {
  if (config.metricsToken === undefined) return undefined
  const metrics = new Metrics()
  metrics.gauge(
    'change_feed_age_seconds',
    'Time since the last applied read of the change feed began',
    () => changes.readAgeMs / 1000,
  )
  metrics.gauge('cache_trusted', '1 while cached values may be used', () => Number(changes.isTrusted()))
  metrics.gauge('database_connections', 'Open connections of the pool', () => db.poolUsage.total)
  metrics.gauge('database_connections_idle', 'Idle connections of the pool', () => db.poolUsage.idle)
  metrics.gauge('database_waiters', 'Requests that wait for a connection', () => db.poolUsage.waiting)
  metrics.gauge('audit_seal_lag_seconds', 'Age of the oldest audit row that is not sealed yet', () =>
    services.auditSealer.lagSeconds(),
  )
  measureStreams(metrics, services.eventStreams)
  return metrics
}
