import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { pino } from 'pino'
import { createApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { loadRootKeys } from '../src/platform/crypto/root-key-settings.ts'
import { openDatabase } from './test-database.ts'

/** Nothing is connected: only what is declared is looked at. */
const url = 'postgresql://nowhere.invalid/none'
const rootKey = Buffer.alloc(32).toString('base64')
const { http } = createApp({
  config: readConfig({ DATABASE_URL: url, HOLDFAST_ROOT_KEY: rootKey, METRICS_TOKEN: 'x'.repeat(16) }),
  db: openDatabase(url),
  directUrl: url,
  roots: await loadRootKeys({ rootKey }),
  log: pino({ level: 'silent' }),
})
await http.ready()

const operations = http.operations.map(({ method, path, config, schema }) => ({
  name: `${method} ${path}`,
  config,
  schema,
}))

/** Spelled out by hand: whatever joins this list is looked at twice. */
const PUBLIC = [
  'GET /api/docs',
  'GET /api/docs/assets/:file',
  'GET /api/docs/json',
  'GET /api/docs/start.js',
  'GET /api/status',
  'GET /api/v1/admin/config',
  'GET /api/v1/cert-manager/ca/internal/:caId/ca-certificates',
  'GET /api/v1/cert-manager/ca/internal/:caId/certificate',
  'GET /api/v1/cert-manager/ca/internal/:caId/certificate/:certId',
  'GET /api/v1/cert-manager/ca/internal/:caId/certificates/:caCertId/der',
  'GET /api/v1/cert-manager/crl/:crlId',
  'GET /api/v1/cert-manager/crl/:crlId/delta',
  'GET /api/v1/cert-manager/crl/:crlId/der',
  'GET /api/v1/cert-manager/crl/:crlId/pem',
  'GET /api/v1/pki/ca/:caId/certificates/:caCertId/der',
  'GET /api/v1/pki/crl/:crlId',
  'GET /api/v1/pki/crl/:crlId/der',
  'GET /api/x/ocsp/:caId/*',
  'GET /livez',
  'GET /metrics',
  'GET /readyz',
  'POST /api/v1/admin/bootstrap',
  'POST /api/v1/admin/signup',
  'POST /api/v1/auth/logout',
  'POST /api/v1/auth/oidc-auth/login',
  'POST /api/v1/auth/token',
  'POST /api/v1/auth/token/renew',
  'POST /api/v1/auth/token/revoke',
  'POST /api/v1/auth/universal-auth/login',
  'POST /api/v1/invite-org/verify',
  'POST /api/v3/auth/login',
  'POST /api/v3/auth/login1',
  'POST /api/v3/signup/complete-account',
  'POST /api/v3/signup/email/signup',
  'POST /api/x/ocsp/:caId',
]

describe('the routes', () => {
  test('that are open to everyone are these', () => {
    const open = operations.filter(({ config }) => config.auth === 'public').map(({ name }) => name)
    assert.deepEqual(open.sort(), PUBLIC)
  })

  test('each have an operation id of their own', () => {
    const ids = operations.map(({ config }) => config.operation.id)
    assert.deepEqual(
      ids.filter((id, index) => ids.indexOf(id) !== index),
      [],
    )
    for (const id of ids) assert.match(id, /^[a-z][A-Za-z0-9]+$/)
  })

  for (const { name, config, schema } of operations) {
    test(`${name} declares its tag, who may call it and what it answers`, () => {
      assert.ok(config.operation.tag)
      assert.ok(config.auth.length > 0)
      assert.ok(schema.response)
    })
  }
})
