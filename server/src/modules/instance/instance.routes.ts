import type { FastifyRequest } from 'fastify'
import { AppError } from '../../lib/app-error.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Authenticate } from '../../platform/http/authentication.ts'
import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import type { Actor } from '../permissions/actor.ts'
import { SettingsAnswer, SettingsChanges, settingsOnWire, Status } from './instance.schemas.ts'
import type { InstanceService } from './instance.service.ts'

const PATH = '/api/v1/admin/config'
const ANYONE = ['user', 'user-without-organization', 'identity'] as const
const endpoint = endpoints({ tag: 'Instance', auth: 'public' })

type Surroundings = { authenticate: Authenticate; clock: Clock; tokenAgeSecondsMax: number }

export const instanceRoutes =
  (instance: InstanceService, { authenticate, clock, tokenAgeSecondsMax }: Surroundings): Routes =>
  (app) => {
    app.get('/api/status', endpoint('getStatus', { rateClass: false, response: { 200: Status } }), async () => {
      const { isSignUpAllowed } = await instance.settings()
      return {
        date: new Date(clock.now()),
        // wire: the operator for Kubernetes compares the text.
        message: 'Ok' as const,
        emailConfigured: false,
        // wire: it says the opposite of its name, to every client.
        inviteOnlySignup: isSignUpAllowed,
        redisConfigured: false,
        secretScanningConfigured: false,
        auditLogStorageDisabled: false,
        maxIdentityAccessTokenTTL: tokenAgeSecondsMax,
      }
    })

    app.get(PATH, endpoint('getInstanceSettings', { response: { 200: SettingsAnswer } }), async (request) => {
      const actor = await viewerOf(request, authenticate)
      const [settings, adminIdentityIds] = await Promise.all([instance.settings(), instance.adminIdentityIds(actor)])
      return { config: settingsOnWire(settings, adminIdentityIds) }
    })

    app.patch(
      PATH,
      endpoint('updateInstanceSettings', { auth: ANYONE, body: SettingsChanges, response: { 200: SettingsAnswer } }),
      async ({ actor, body }) => {
        const settings = await instance.update(actor, changesOf(body))
        return { config: settingsOnWire(settings, await instance.adminIdentityIds(actor)) }
      },
    )
  }

/** Who asks, if a good token says so; anyone may ask. */
const viewerOf = async (request: FastifyRequest, authenticate: Authenticate): Promise<Actor | undefined> => {
  if (request.headers.authorization === undefined) return undefined
  try {
    return await authenticate(request, ANYONE)
  } catch (error) {
    if (error instanceof AppError && error.kind !== 'unavailable') return undefined
    throw error
  }
}

const changesOf = ({
  allowSignUp,
  defaultAuthOrgId,
  authConsentContent,
  ...changes
}: typeof SettingsChanges._zod.output) => ({
  ...changes,
  isSignUpAllowed: allowSignUp,
  defaultOrganizationId: defaultAuthOrgId,
  consentContent: authConsentContent,
})
