import { newId } from '../../lib/uuid.ts'
import type { AuditActor, AuditEvent } from './audit-event.ts'
import { userAgentTypeOf } from './user-agent-type.ts'

/** A change of two thousand secrets fits. */
const ROW_CHARACTERS_MAX = 512 * 1_024
const SCALAR_CHARACTERS_MAX = 1_000
const KEPT_SCALARS_MAX = 50
const USER_AGENT_LENGTH_MAX = 512

/** One row of the log as JSON text, ready to be stored: PostgreSQL can refuse none of it. */
export const auditRow = (actor: AuditActor, event: AuditEvent): string => {
  const { type, metadata, projectId, result = 'success' } = event
  const row = {
    id: newId(),
    organization_id: event.organizationId ?? (isKnown(actor) ? actor.organizationId : undefined),
    project_id: projectId,
    event_type: type,
    event_metadata: metadata,
    actor_type: actor.type === 'anonymous' ? 'unknownUser' : actor.type,
    actor_id: isKnown(actor) ? actor.id : undefined,
    actor_metadata: actorMetadata(actor),
    ...originColumns(actor),
    result,
  }
  const text = JSON.stringify(row)
  return storable(text.length <= ROW_CHARACTERS_MAX ? text : JSON.stringify(shortened(row, text.length)))
}

const isKnown = (actor: AuditActor) => actor.type === 'user' || actor.type === 'identity'

const actorMetadata = (actor: AuditActor): object => {
  switch (actor.type) {
    case 'user':
      return { authMethod: actor.authMethod, email: actor.email, username: actor.username, userId: actor.id }
    case 'identity':
      return { ...actor.claims, name: actor.name, identityId: actor.id, authMethod: actor.authMethod }
    case 'anonymous':
    case 'platform':
      return {}
  }
}

const originColumns = (actor: AuditActor): object => {
  if (actor.type === 'platform') return {}
  const { ip, userAgent, requestId } = actor.origin
  return {
    ip_address: ip === '' ? undefined : ip,
    user_agent: userAgent.slice(0, USER_AGENT_LENGTH_MAX),
    user_agent_type: userAgentTypeOf(userAgent),
    request_id: requestId,
  }
}

/** Of metadata that is too large the short members stay: they say what and where. */
const shortened = <Row extends { event_metadata: object }>(row: Row, characters: number): Row => {
  const kept = Object.entries(row.event_metadata).filter(
    ([, value]: [string, unknown]) =>
      ['string', 'number', 'boolean'].includes(typeof value) && String(value).length <= SCALAR_CHARACTERS_MAX,
  )
  return {
    ...row,
    event_metadata: { ...Object.fromEntries(kept.slice(0, KEPT_SCALARS_MAX)), shortenedFromCharacters: characters },
  }
}

const ESCAPES = /\\(?:u[0-9a-f]{4}|.)/g
const UNSTORABLE_ESCAPE = /^\\u(?:0000|d[89a-f])/

/** PostgreSQL takes neither a NUL nor half of a surrogate pair; JSON.stringify writes both as escapes. */
const storable = (json: string): string =>
  json.includes('\\u') ? json.replace(ESCAPES, (escape) => (UNSTORABLE_ESCAPE.test(escape) ? '\\ufffd' : escape)) : json
