import { after, describe, test } from 'node:test'
import { Administrator, call } from './administrator.ts'
import { formClient, logInWithForm } from './form-client.ts'
import { createSdk, type Login, SDK_PACKAGES, sdkClient } from './sdk-client.ts'
import { runSecretsSession, type Setting } from './secrets-session.ts'
import { startServerProcess } from './server-process.ts'

const server = await startServerProcess()
after(server.stop)
const administrator = await Administrator.bootstrap(server.url)

/** Whoever creates projects and invites people must be an admin of the organization. */
const createLogin = async (): Promise<Login> => {
  const { identityId, clientId, clientSecret } = await administrator.createLogin()
  await administrator.makeAdmin(identityId)
  return { clientId, clientSecret }
}

/** No client of the case list creates imports, so that is done beside it. */
const settingOf = async (name: string, login: Login): Promise<Setting> => {
  const token = await logInWithForm(server.url, login)
  return {
    name: `by ${name}`,
    guest: 'admin@example.com',
    notFound: /404/,
    addImport: (from, to) => {
      const source = { environment: from.environment, path: from.secretPath ?? '/' }
      const { projectId: workspaceId, environment, secretPath: path = '/' } = to
      const body = { workspaceId, environment, path, import: source }
      return call(server.url, 'POST', '/api/v1/secret-imports', { token, body })
    },
  }
}

describe('the case list of secrets', () => {
  for (const name of SDK_PACKAGES) {
    test(`is done by ${name}`, async () => {
      const login = await createLogin()
      const sdk = await createSdk(name, server.url)
      await sdk.auth().universalAuth.login(login)
      await runSecretsSession(sdkClient(sdk), await settingOf(name, login))
      await sdk.auth().universalAuth.renew()
    })
  }

  test('is done by a client that logs in with a form', async () => {
    const login = await createLogin()
    const client = formClient(server.url, await logInWithForm(server.url, login))
    await runSecretsSession(client, await settingOf('form', login))
  })
})
