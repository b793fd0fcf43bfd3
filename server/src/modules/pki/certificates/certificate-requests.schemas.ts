import { z } from 'zod'
import { Id, Timestamp, Uuid } from '../../../platform/http/wire-types.ts'
import { DateText } from '../authorities/authorities.schemas.ts'

const TEXT_LENGTH_MAX = 255
const IDS_MAX = 100
const PAGE_MAX = 100
const METADATA_MAX = 20

const STATUSES = ['pending_approval', 'pending', 'pending_validation', 'issued', 'failed', 'rejected'] as const

export const RequestSearch = z.object({
  projectId: Id.optional(),
  offset: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
  limit: z.number().int().min(1).max(PAGE_MAX).default(20),
  search: z.string().trim().max(TEXT_LENGTH_MAX).optional(),
  status: z.enum(STATUSES).optional(),
  fromDate: DateText.optional(),
  toDate: DateText.optional(),
  profileIds: z.array(Uuid).max(IDS_MAX).optional(),
  applicationId: Uuid.optional(),
  sortOrder: z.enum(['asc', 'desc']).default('desc'),
  metadata: z
    .array(z.object({ key: z.string().trim().min(1).max(TEXT_LENGTH_MAX), value: z.string().max(1_020).optional() }))
    .max(METADATA_MAX)
    .optional(),
})

export const RequestList = z.object({
  certificateRequests: z.array(
    z.object({
      id: z.uuid(),
      status: z.string(),
      projectId: z.string(),
      profileId: z.uuid().nullable(),
      profileName: z.string().nullable(),
      certificateId: z.uuid().nullable(),
      commonName: z.string().nullable(),
      altNames: z.string().nullable(),
      serialNumber: z.string().nullable(),
      createdAt: Timestamp,
      updatedAt: Timestamp,
    }),
  ),
  totalCount: z.number(),
})
