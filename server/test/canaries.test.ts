import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { describe, test } from 'node:test'
import { createLogger } from '../src/platform/logger.ts'
import { startTestServer } from './test-server.ts'

const lines: string[] = []
const sink = new Writable({
  write(chunk: Buffer, _encoding, done) {
    lines.push(chunk.toString())
    done()
  },
})

const METRICS_TOKEN = 'canary-metrics-token-0123456789'
const server = await startTestServer({ METRICS_TOKEN }, createLogger('trace', sink))

describe('what must stay secret', () => {
  test('is in no log line, error or metric, whatever goes wrong', async () => {
    const canaries: string[] = [METRICS_TOKEN]
    const canary = (name: string) => {
      const value = `Canary9-${name}-${canaries.length}`
      canaries.push(value)
      return value
    }
    const errors: string[] = []
    const post = async (path: string, body: object, token?: string) => {
      const answer = await server.post(path, body, { token })
      if (answer.status !== 200) errors.push(answer.text)
      return answer.body
    }

    const password = canary('password')
    const first = await post('/api/v1/admin/bootstrap', { email: 'a@example.com', password, organization: 'Acme' })
    const token = first.identity.credentials.token as string
    canaries.push(token)
    await post('/api/v3/auth/login', { email: 'a@example.com', password: canary('wrong-password') })
    const { accessToken } = await post('/api/v3/auth/login', { email: 'a@example.com', password })
    canaries.push(accessToken)

    const organizationId = first.organization.id as string
    const { identity } = await post(
      '/api/v1/identities',
      { name: 'ci', organizationId, metadata: [{ key: 'k', value: 'v' }] },
      token,
    )
    const path = `/api/v1/auth/universal-auth/identities/${identity.id}`
    const { identityUniversalAuth } = await post(path, {}, token)
    const { clientSecret } = await post(`${path}/client-secrets`, {}, token)
    canaries.push(clientSecret)
    const { clientId } = identityUniversalAuth
    const login = '/api/v1/auth/universal-auth/login'
    canaries.push((await post(login, { clientId, clientSecret })).accessToken)
    for (const body of [
      { clientId, clientSecret: canary('wrong-secret') },
      { clientId: canary('unknown-id'), clientSecret: canary('s') },
    ]) {
      await post(login, body)
    }
    await post(login, { clientId: 5, clientSecret: [canary('in-a-list')] })
    await post('/api/v1/auth/token/renew', { accessToken: canary('token') })
    await server.get('/api/v1/identities/details', { token: canary('bearer') })
    await server.request('POST', login, undefined, {
      headers: { 'content-type': 'application/json', cookie: `jid=${canary('cookie')}` },
    })

    const metrics = await server.get('/metrics', { token: METRICS_TOKEN })
    assert.equal(metrics.status, 200)
    assert.match(metrics.text, /holdfast_change_feed_age_seconds/)
    assert.match(metrics.text, /holdfast_audit_seal_lag_seconds/)
    assert.equal((await server.get('/metrics', { token: canary('metrics') })).status, 404)

    assert.ok(lines.length > 0, 'something was logged')
    const heard = [...lines, metrics.text, ...errors].join('\n')
    assert.deepEqual(
      canaries.filter((value) => heard.includes(value)),
      [],
    )
  })
})
