import { z } from 'zod'
import { Timestamp, Uuid } from '../../platform/http/wire-types.ts'
import { TOKEN_CHARACTERS_MAX } from './license.ts'

export const NewLicense = z.object({
  token: z.string().trim().min(1).max(TOKEN_CHARACTERS_MAX).describe('The signed text of the licence'),
})

export const ByLicenseId = z.object({
  licenseId: z.string().trim().toLowerCase().describe('Id of an installed licence'),
})

const License = z.object({
  id: Uuid,
  source: z.enum(['configuration', 'installed', 'evaluation']),
  licensee: z.string(),
  organizationId: Uuid.nullable().describe('Null: for every organization'),
  features: z.array(z.string()),
  seats: z.number().int().nullable().describe('Null: without a limit. It is not enforced'),
  startsAt: Timestamp,
  endsAt: Timestamp,
  state: z.enum(['upcoming', 'active', 'expired']),
  installedAt: Timestamp.nullable(),
})

export const LicenseAnswer = z.object({ license: License })

export const Licensing = z.object({
  organizationId: Uuid,
  features: z.array(z.string()).describe('What the organization may use now'),
  eventSubscriptionsEndAt: Timestamp.nullable().describe('Null: event subscriptions cannot be used now'),
  warning: z.string().nullable().describe('From ten days before the end'),
  licenses: z.array(License),
})

export const RemovedLicense = z.object({ licenseId: Uuid })
