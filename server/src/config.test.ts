import assert from 'node:assert/strict'
import path from 'node:path'
import { describe, test } from 'node:test'
import { ConfigError, configurationPage, readConfig } from './config.ts'

describe('the configuration', () => {
  test('needs nothing: then Holdfast brings its own database and listens on this machine only', () => {
    const config = readConfig({})
    assert.deepEqual(
      [config.port, config.host, config.siteUrl, config.database.url, config.dataDir],
      [8080, '127.0.0.1', 'http://localhost:8080', undefined, path.resolve('data')],
    )
  })

  test('listens everywhere when a database is given, and reaches it directly unless told otherwise', () => {
    const config = readConfig({ DATABASE_URL: 'postgres://db/holdfast' })
    assert.deepEqual([config.host, config.database.directUrl], ['0.0.0.0', 'postgres://db/holdfast'])
  })

  test('takes an empty value for none, and no slash at the end of the address', () => {
    const config = readConfig({ PORT: '', SITE_URL: 'https://secrets.example.com/' })
    assert.deepEqual([config.port, config.siteUrl], [8080, 'https://secrets.example.com'])
  })

  test('reads lists and limits', () => {
    const config = readConfig({ TRUSTED_PROXY_CIDRS: '10.0.0.0/8, ::1', RATE_LIMITS: 'read=600,auth=5' })
    assert.deepEqual([config.trustedProxyCidrs, config.rateLimits], [['10.0.0.0/8', '::1'], { read: 600, auth: 5 }])
  })

  for (const [name, value] of [
    ['PORT', '80a'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['SITE_URL', 'secrets.example.com'],
    ['SITE_URL', 'ftp://example.com'],
    ['DATABASE_URL', 'mysql://db'],
    ['DATABASE_POOL_SIZE', '0'],
    ['DATABASE_PREPARED_STATEMENTS', 'yes'],
    ['CORS_ALLOWED_ORIGINS', '*'],
    ['CORS_ALLOWED_ORIGINS', 'null'],
    ['CORS_ALLOWED_ORIGINS', 'https://example.com, example.org'],
    ['CORS_ALLOWED_ORIGINS', 'file:///etc'],
    ['TRUSTED_PROXY_CIDRS', '10.0.0.0/33'],
    ['TRUSTED_PROXY_CIDRS', '10.0.0.0/8abc'],
    ['RATE_LIMITS', 'reads=5'],
    ['RATE_LIMITS', 'read=0'],
    ['METRICS_TOKEN', 'short'],
    ['LOG_LEVEL', 'loud'],
    ['HOLDFAST_LICENSE', 'x'.repeat(8_193)],
    ['HOLDFAST_LICENSE_PUBLIC_KEYS', 'not-a-key'],
  ] as const) {
    test(`refuses ${name}=${value.slice(0, 40)} in one line that names it`, () => {
      assert.throws(
        () => readConfig({ [name]: value }),
        (error) =>
          error instanceof ConfigError && error.message.startsWith(`${name} must `) && !error.message.includes('\n'),
      )
    })
  }

  test('refuses what does not go together', () => {
    assert.throws(() => readConfig({ DATABASE_DIRECT_URL: 'postgres://db/holdfast' }), ConfigError)
    assert.throws(() => readConfig({ HOLDFAST_ROOT_KEY: 'a', HOLDFAST_ROOT_KEY_FILE: 'b' }), ConfigError)
    assert.throws(() => readConfig({ HOLDFAST_LICENSE: 'a', HOLDFAST_LICENSE_FILE: 'b' }), ConfigError)
  })

  test('never repeats a value, which may be a secret', () => {
    assert.throws(
      () => readConfig({ DATABASE_URL: 'mysql://user:hunter2@db', METRICS_TOKEN: 'hunter2' }),
      (error) => error instanceof ConfigError && !error.message.includes('hunter2'),
    )
  })

  test('has a page that describes every option', () => {
    const page = configurationPage()
    for (const name of ['PORT', 'DATABASE_URL', 'HOLDFAST_ROOT_KEY', 'RATE_LIMITS'])
      assert.match(page, new RegExp(`\\| \`${name}\` \\|`))
    assert.doesNotMatch(page, /\| {2}\|$/m)
  })
})
