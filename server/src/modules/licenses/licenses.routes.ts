import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import { ByLicenseId, LicenseAnswer, Licensing, NewLicense, RemovedLicense } from './licenses.schemas.ts'
import type { HeldLicense, LicenseService } from './licenses.service.ts'

const PATH = '/api/x/license'
const ANYONE = ['user', 'user-without-organization', 'identity'] as const
const endpoint = endpoints({ tag: 'Licences', auth: ['user', 'identity'] })

export const licenseRoutes =
  (licenses: LicenseService): Routes =>
  (app) => {
    app.get(
      PATH,
      endpoint('getLicensing', {
        summary: 'What the organization is licensed for, until when, and by which licences',
        response: { 200: Licensing },
      }),
      async ({ actor }) => {
        const { eventSubscriptionsEndAt: endAt, ...licensing } = await licenses.describe(actor)
        return {
          ...licensing,
          eventSubscriptionsEndAt: endAt === null ? null : new Date(endAt),
          licenses: licensing.licenses.map(onWire),
        }
      },
    )

    app.post(
      PATH,
      endpoint('installLicense', { auth: ANYONE, body: NewLicense, response: { 200: LicenseAnswer } }),
      async ({ actor, body }) => ({ license: onWire(licenses.stated(await licenses.install(actor, body.token))) }),
    )

    app.delete(
      `${PATH}/:licenseId`,
      endpoint('removeLicense', { auth: ANYONE, params: ByLicenseId, response: { 200: RemovedLicense } }),
      async ({ actor, params }) => {
        await licenses.remove(actor, params.licenseId)
        return { licenseId: params.licenseId }
      },
    )
  }

const onWire = <S extends string>({
  organizationId,
  startsAt,
  endsAt,
  features,
  ...license
}: HeldLicense & { state: S }) => ({
  ...license,
  organizationId: organizationId ?? null,
  features: [...features],
  startsAt: new Date(startsAt),
  endsAt: new Date(endsAt),
})
