import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newId } from '../../lib/uuid.ts'
import type { AuditActor } from './audit-event.ts'
import { auditRow } from './audit-row.ts'

const origin = { ip: '203.0.113.7', userAgent: 'Mozilla/5.0', requestId: 'req-1' }
const [id, organizationId] = [newId(), newId()]
const rowOf = (actor: AuditActor, metadata: object = {}, more: object = {}): Record<string, unknown> =>
  JSON.parse(auditRow(actor, { type: 'get-secret', metadata, ...more })) as Record<string, unknown>

const user: AuditActor = {
  ...{ type: 'user', id, organizationId, sessionId: newId(), authMethod: 'email', isInstanceAdmin: false, origin },
  ...{ email: 'ann@example.com', username: 'ann' },
}

describe('a row of the log', () => {
  test('says of a person the email, username, id and how they logged in', () => {
    const { actor_type, actor_id, actor_metadata } = rowOf(user)
    assert.deepEqual([actor_type, actor_id], ['user', id])
    assert.deepEqual(actor_metadata, { authMethod: 'email', email: 'ann@example.com', username: 'ann', userId: id })
  })

  test('says of a machine identity its name, id and what the login method learned', () => {
    const claims = { oidc: { claims: { sub: 'repo:acme' } } }
    const identity: AuditActor = {
      ...{ type: 'identity', id, name: 'ci', organizationId, authMethod: 'oidc-auth', tokenId: newId() },
      ...{ isInstanceAdmin: false, claims, origin },
    }
    const { actor_type, actor_metadata } = rowOf(identity)
    assert.equal(actor_type, 'identity')
    assert.deepEqual(actor_metadata, { name: 'ci', identityId: id, authMethod: 'oidc-auth', ...claims })
  })

  test('says nothing of an unknown caller but where the request came from', () => {
    const row = rowOf({ type: 'anonymous', origin })
    assert.deepEqual([row['actor_type'], row['actor_metadata'], row['actor_id']], ['unknownUser', {}, undefined])
    assert.deepEqual([row['ip_address'], row['user_agent_type'], row['request_id']], ['203.0.113.7', 'web', 'req-1'])
  })

  test('of the platform itself has no origin', () => {
    const row = rowOf({ type: 'platform' })
    assert.deepEqual([row['actor_type'], row['ip_address'], row['user_agent']], ['platform', undefined, undefined])
  })

  test("belongs to the event's organization, or else to the actor's", () => {
    const other = newId()
    assert.equal(rowOf(user)['organization_id'], organizationId)
    assert.equal(rowOf(user, {}, { organizationId: other })['organization_id'], other)
  })

  test('holds nothing that PostgreSQL cannot store', () => {
    const { event_metadata } = rowOf(user, { 'a\0b': 'c\0d', lone: '\ud800x', pair: '\u{1f600}', text: '\\u0000' })
    assert.deepEqual(event_metadata, { 'a�b': 'c�d', lone: '�x', pair: '\u{1f600}', text: '\\u0000' })
  })

  test('keeps the short members of metadata that is too large', () => {
    const secrets = Array.from({ length: 30_000 }, (_, number) => ({ secretId: newId(), secretKey: `KEY_${number}` }))
    const row = auditRow(user, { type: 'create-secrets', metadata: { environment: 'dev', secrets } })
    const { event_metadata } = JSON.parse(row) as { event_metadata: Record<string, unknown> }
    assert.deepEqual(Object.keys(event_metadata), ['environment', 'shortenedFromCharacters'])
    assert.equal(event_metadata['environment'], 'dev')
  })
})
