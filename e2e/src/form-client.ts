import { call } from './administrator.ts'
import type { Login } from './sdk-client.ts'
import type { SecretsClient } from './secrets-session.ts'

/** Logs in with a form, as the action for GitHub workflows does. */
export const logInWithForm = async (url: string, login: Login): Promise<string> => {
  const response = await fetch(`${url}/api/v1/auth/universal-auth/login`, {
    method: 'POST',
    body: new URLSearchParams(login),
  })
  if (!response.ok) throw new Error(`The login answered ${response.status}`)
  return ((await response.json()) as { accessToken: string }).accessToken
}

/** Plain requests, in the words of the oldest paths that clients still use. */
export const formClient = (url: string, token: string): SecretsClient => {
  const send = (method: string, path: string, body?: object) =>
    call(url, method, path, { token, ...(body && { body }) })
  const ask = (path: string, query: object) =>
    send('GET', `${path}?${new URLSearchParams(Object.entries(query)).toString()}`)
  const secret = (key: string) => `/api/v3/secrets/raw/${encodeURIComponent(key)}`
  const placed = ({ projectId, ...rest }: { projectId: string }) => ({ workspaceId: projectId, ...rest })
  const list = (place: Parameters<SecretsClient['listSecrets']>[0]) =>
    ask('/api/v3/secrets/raw', { ...placed(place), include_imports: 'true', expandSecretReferences: 'true' })
  return {
    createProject: async (projectName) => (await send('POST', '/api/v2/workspace', { projectName })).project,
    createEnvironment: async (projectId, name) => {
      const body = { name, slug: name.toLowerCase() }
      return (await send('POST', `/api/v1/workspace/${projectId}/environments`, body)).environment
    },
    createFolder: async (folder) => (await send('POST', '/api/v1/folders', placed(folder))).folder,
    listFolders: async (place) => (await ask('/api/v1/folders', placed(place))).folders,
    createSecret: async (key, options) => (await send('POST', secret(key), placed(options))).secret,
    listSecrets: async (place) => (await list(place)).secrets,
    listSecretsWithImports: async (place) => {
      const { secrets, imports } = (await list(place)) as Listed
      return [...secrets, ...imports.flatMap((each) => each.secrets)]
    },
    getSecret: async (key, place) => (await ask(secret(key), placed(place))).secret,
    updateSecret: async (key, options) => (await send('PATCH', secret(key), placed(options))).secret,
    deleteSecret: async (key, options) => (await send('DELETE', secret(key), placed(options))).secret,
    inviteMembers: async (projectId, emails) =>
      (await send('POST', `/api/v2/workspace/${projectId}/memberships`, { emails, roleSlugs: ['viewer'] })).memberships,
  }
}

type Secrets = Awaited<ReturnType<SecretsClient['listSecrets']>>
type Listed = { secrets: Secrets; imports: { secrets: Secrets }[] }
