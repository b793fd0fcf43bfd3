import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { InfisicalSDK } from '@infisical/sdk'
import { Administrator, call } from './administrator.ts'
import { startServerProcess } from './server-process.ts'

const server = await startServerProcess()
after(server.stop)
const administrator = await Administrator.bootstrap(server.url)

describe('@infisical/sdk', () => {
  test('logs in with universal auth and renews its token', async () => {
    const login = await administrator.createLogin()
    const client = new InfisicalSDK({ siteUrl: server.url })

    await client.auth().universalAuth.login(login)
    const first = client.auth().getAccessToken()
    assert.ok(first)
    await client.auth().universalAuth.renew()
    const renewed = client.auth().getAccessToken()
    assert.ok(renewed)

    for (const token of [first, renewed]) {
      const { identityDetails } = await call(server.url, 'GET', '/api/v1/identities/details', { token })
      assert.equal(identityDetails.organization.id, administrator.organizationId)
    }
  })

  test('says [StatusCode=401] for a wrong client secret', async () => {
    const { clientId } = await administrator.createLogin()
    const client = new InfisicalSDK({ siteUrl: server.url })
    await assert.rejects(client.auth().universalAuth.login({ clientId, clientSecret: 'wrong' }), /\[StatusCode=401\]/)
  })
})

describe('a client that logs in with a form', () => {
  test('gets a token', async () => {
    const { clientId, clientSecret } = await administrator.createLogin()
    const response = await fetch(`${server.url}/api/v1/auth/universal-auth/login/`, {
      method: 'POST',
      body: new URLSearchParams({ clientId, clientSecret }),
    })
    assert.equal(response.status, 200)
    assert.deepEqual(Object.keys((await response.json()) as object).sort(), [
      'accessToken',
      'accessTokenMaxTTL',
      'expiresIn',
      'tokenType',
    ])
  })
})
