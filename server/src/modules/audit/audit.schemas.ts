import { z } from 'zod'
import { emptyAsAbsent, Instant, Timestamp } from '../../platform/http/wire-types.ts'
import { USER_AGENT_TYPES } from './user-agent-type.ts'

const TEXT_LENGTH_MAX = 1_000
const LIST_MAX = 100
const LIMIT_MAX = 1_000
/** A page further back costs the database every row before it: narrower dates lead there too. */
const OFFSET_MAX = 100_000

const Text = z.string().trim().max(TEXT_LENGTH_MAX)
const commaList = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

const EventTypes = z
  .string()
  .max(10_000)
  .transform(commaList)
  .pipe(z.array(z.string().max(100)).max(LIST_MAX))

const MetadataPair = z.string().transform((pair, context) => {
  const at = pair.indexOf('=')
  if (at > 0) return { key: pair.slice(0, at).trim(), value: pair.slice(at + 1).trim() }
  context.addIssue({ code: 'custom', message: 'Must be a list of key=value, separated by commas' })
  return z.NEVER
})

/** `/app/` and `/app` are one folder. */
const SecretPath = Text.transform((path) => (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path))

export type AuditLogQuery = z.infer<typeof AuditLogQuery>
export const AuditLogQuery = z.object({
  projectId: emptyAsAbsent(Text).describe("Only this project's; needs its permission instead of the organization's"),
  environment: emptyAsAbsent(Text).describe('Slug of an environment'),
  secretPath: emptyAsAbsent(SecretPath),
  secretKey: emptyAsAbsent(Text),
  actorType: emptyAsAbsent(z.enum(['platform', 'user', 'service', 'identity', 'scimClient', 'unknownUser'])),
  actor: emptyAsAbsent(Text).describe('Id of a user or machine identity'),
  eventType: emptyAsAbsent(EventTypes).describe('Comma-separated'),
  userAgentType: emptyAsAbsent(z.enum(USER_AGENT_TYPES)),
  eventMetadata: emptyAsAbsent(
    z.string().max(10_000).transform(commaList).pipe(z.array(MetadataPair).max(LIST_MAX)),
  ).describe('Comma-separated key=value'),
  startDate: emptyAsAbsent(Instant).describe('Default: the midnight (UTC) before the end'),
  endDate: emptyAsAbsent(Instant).describe('Default: now. At most three months after the start'),
  offset: z.coerce.number().int().min(0).max(OFFSET_MAX).default(0),
  limit: z.coerce.number().int().min(1).max(LIMIT_MAX).default(20),
})

const AuditLog = z.object({
  id: z.uuid(),
  ipAddress: z.string().nullable(),
  userAgent: z.string().nullable(),
  userAgentType: z.string().nullable(),
  expiresAt: Timestamp.describe('When the row will be removed'),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  orgId: z.uuid(),
  projectId: z.uuid().nullable(),
  projectName: z.string().nullable(),
  event: z.object({ type: z.string(), metadata: z.record(z.string(), z.unknown()) }),
  actor: z.object({ type: z.string(), metadata: z.record(z.string(), z.unknown()) }),
})

export const AuditLogList = z.object({ auditLogs: z.array(AuditLog) })
