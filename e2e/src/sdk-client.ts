import type { SecretsClient } from './secrets-session.ts'

export type Login = { clientId: string; clientSecret: string }

/** As much of the SDK as all of its generations have in common. */
type Sdk = {
  auth: () => { universalAuth: { login: (login: Login) => Promise<Sdk>; renew: () => Promise<Sdk> } }
  projects: () => {
    create: (options: object) => ReturnType<SecretsClient['createProject']>
    inviteMembers: (options: object) => Promise<unknown[]>
  }
  environments: () => { create: (options: object) => ReturnType<SecretsClient['createEnvironment']> }
  folders: () => Pick<SecretsClient, 'listFolders'> & { create: SecretsClient['createFolder'] }
  secrets: () => {
    listSecrets: (options: object) => Promise<{ secrets: Awaited<ReturnType<SecretsClient['listSecrets']>> }>
    listSecretsWithImports: (options: object) => ReturnType<SecretsClient['listSecretsWithImports']>
    getSecret: (options: object) => ReturnType<SecretsClient['getSecret']>
    createSecret: Write<'createSecret'>
    updateSecret: Write<'updateSecret'>
    deleteSecret: Write<'deleteSecret'>
  }
}
type Write<Method extends 'createSecret' | 'updateSecret' | 'deleteSecret'> = (
  key: string,
  options: object,
) => Promise<{ secret: Awaited<ReturnType<SecretsClient[Method]>> }>

/** Packages of the SDK: each generation under a name of its own. */
export const SDK_PACKAGES = ['infisical-sdk-3', 'infisical-sdk-4', '@infisical/sdk'] as const

export const createSdk = async (packageName: (typeof SDK_PACKAGES)[number], siteUrl: string): Promise<Sdk> => {
  const { InfisicalSDK } = (await import(packageName)) as { InfisicalSDK: new (options: { siteUrl: string }) => Sdk }
  return new InfisicalSDK({ siteUrl })
}

/** The SDK as a client of the common case list. */
export const sdkClient = (sdk: Sdk): SecretsClient => {
  const folders = sdk.folders()
  const secrets = sdk.secrets()
  return {
    createProject: (projectName) => sdk.projects().create({ projectName, type: 'secret-manager' }),
    createEnvironment: (projectId, name) =>
      sdk.environments().create({ projectId, name, slug: name.toLowerCase(), position: 4 }),
    createFolder: (folder) => folders.create(folder),
    listFolders: folders.listFolders && ((place) => folders.listFolders?.(place) ?? Promise.resolve([])),
    createSecret: async (key, options) => (await secrets.createSecret(key, options)).secret,
    listSecrets: async (place) => (await secrets.listSecrets({ ...place, expandSecretReferences: true })).secrets,
    listSecretsWithImports: (place) => secrets.listSecretsWithImports({ ...place, expandSecretReferences: true }),
    getSecret: (secretName, place) => secrets.getSecret({ ...place, secretName }),
    updateSecret: async (key, options) => (await secrets.updateSecret(key, options)).secret,
    deleteSecret: async (key, options) => (await secrets.deleteSecret(key, options)).secret,
    inviteMembers: (projectId, emails) => sdk.projects().inviteMembers({ projectId, emails, roleSlugs: ['viewer'] }),
  }
}
