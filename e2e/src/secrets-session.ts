import assert from 'node:assert/strict'

type Place = { projectId: string; environment: string; secretPath?: string }
type Secret = { secretKey: string; secretValue: string }
type Folder = { id: string; name: string }

/** What every client of secrets can do, in the words of the Node SDK. */
export type SecretsClient = {
  createProject: (projectName: string) => Promise<{ id: string; slug: string }>
  createEnvironment: (projectId: string, name: string) => Promise<{ slug: string }>
  createFolder: (place: Required<Omit<Place, 'secretPath'>> & { path: string; name: string }) => Promise<Folder>
  /** Not every version of every client lists folders. */
  listFolders?: ((place: Omit<Place, 'secretPath'> & { path: string }) => Promise<Folder[]>) | undefined
  createSecret: (key: string, secret: Place & { secretValue: string; secretComment?: string }) => Promise<Secret>
  listSecrets: (place: Place) => Promise<Secret[]>
  listSecretsWithImports: (place: Place) => Promise<Secret[]>
  getSecret: (key: string, place: Place) => Promise<Secret>
  updateSecret: (key: string, change: Place & { secretValue?: string; newSecretName?: string }) => Promise<Secret>
  deleteSecret: (key: string, place: Place) => Promise<Secret>
  inviteMembers: (projectId: string, emails: string[]) => Promise<unknown[]>
}

export type Setting = {
  /** Unlike those of other sessions on the same server. */
  name: string
  addImport: (from: Place, to: Place) => Promise<unknown>
  guest: string
  /** What the client throws when it is answered 404. */
  notFound: RegExp
}

/** From an empty organization to a shared secret and away again: the same case list for every client. */
export const runSecretsSession = async (client: SecretsClient, { name, addImport, guest, notFound }: Setting) => {
  const project = await client.createProject(name)
  assert.ok(project.id)
  const environment = await client.createEnvironment(project.id, 'Quality')
  assert.equal(environment.slug, 'quality')

  const root = { projectId: project.id, environment: 'quality' }
  const folder = await client.createFolder({ ...root, path: '/', name: 'backend' })
  assert.equal(folder.name, 'backend')
  const folders = await client.listFolders?.({ ...root, path: '/' })
  assert.deepEqual(folders?.map((each) => each.id) ?? [folder.id], [folder.id])

  const backend = { ...root, secretPath: '/backend' }
  const created = await client.createSecret('URL', { ...backend, secretValue: 'a=b&c #1\n"x"', secretComment: 'note' })
  assert.equal(created.secretKey, 'URL')
  await client.createSecret('HOST', { ...root, secretValue: 'example.com' })
  await client.createSecret('LINK', { ...root, secretValue: 'https://${HOST}/' })

  assert.deepEqual(valuesOf(await client.listSecrets(backend)), { URL: 'a=b&c #1\n"x"' })
  assert.deepEqual(valuesOf(await client.listSecrets(root)), { HOST: 'example.com', LINK: 'https://example.com/' })
  assert.equal((await client.getSecret('URL', backend)).secretValue, 'a=b&c #1\n"x"')

  await addImport(backend, root)
  const all = valuesOf(await client.listSecretsWithImports(root))
  assert.deepEqual(all, { HOST: 'example.com', LINK: 'https://example.com/', URL: 'a=b&c #1\n"x"' })

  await client.updateSecret('URL', { ...backend, secretValue: 'second', newSecretName: 'ADDRESS' })
  assert.deepEqual(valuesOf(await client.listSecrets(backend)), { ADDRESS: 'second' })
  await assert.rejects(client.getSecret('URL', backend), notFound)

  const deleted = await client.deleteSecret('ADDRESS', backend)
  assert.equal(deleted.secretKey, 'ADDRESS')
  assert.deepEqual(await client.listSecrets(backend), [])
  assert.equal((await client.inviteMembers(project.id, [guest])).length, 1)
}

const valuesOf = (secrets: readonly Secret[]): Record<string, string> =>
  Object.fromEntries(secrets.map(({ secretKey, secretValue }) => [secretKey, secretValue]))
