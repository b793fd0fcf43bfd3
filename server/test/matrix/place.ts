import { newId, isUuid } from '../../src/lib/uuid.ts'
import type { Answer, TestServer } from '../test-server.ts'
import { furnishCertificates } from './certificates.ts'

export type Furnishing = Awaited<ReturnType<typeof furnish>>
type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

const DISCOVERY_URL = 'https://127.0.0.1:1'

let made = 0
/** A word that nothing else has, good as a name, a slug or the key of a secret. */
export const fresh = (word: string): string => `${word}-${++made}`

/** A project with one of everything in it, in its organization with one of everything. */
export class Place {
  readonly token: string
  readonly #server: TestServer
  #has: Furnishing | undefined

  private constructor(server: TestServer, token: string) {
    this.#server = server
    this.token = token
  }

  /** `token` is of an administrator of the organization, a person. */
  static async furnished(server: TestServer, { token, organizationId }: { token: string; organizationId: string }) {
    const place = new Place(server, token)
    place.#has = await furnish(place, organizationId)
    return place
  }

  get has(): Furnishing {
    if (!this.#has) throw new Error('the place is not furnished yet')
    return this.#has
  }

  /** By the administrator; anything but 200 is a mistake in the table. */
  async ask(method: Method, path: string, body?: object): Promise<Answer['body']> {
    const answer = await this.#server.request(method, path, body, { token: this.token })
    if (answer.status !== 200) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`)
    return answer.body
  }

  /** Lets the callers of the matrix that belong here into a project of the place. */
  admit: (projectId: string) => Promise<void> = () => Promise.resolve()

  /** The token of someone who has just logged in. */
  logIn: () => Promise<string> = () => Promise.resolve('')

  /** The sessions of whom a token belongs to, newest first. */
  async sessionsOf(token: string): Promise<{ id: string }[]> {
    return (await this.#server.get('/api/v2/users/me/sessions', { token })).body as { id: string }[]
  }

  post = (path: string, body: object = {}) => this.ask('POST', path, body)
}

/** The same names for things that are nowhere. */
export const nothingOf = (has: Furnishing): Furnishing => {
  const nothing = (value: string) => {
    if (isUuid(value)) return newId()
    if (value.startsWith('-----BEGIN')) return value
    return value.includes('@') ? 'nobody@example.com' : 'nothing'
  }
  const entries = Object.entries(has).map(([name, value]) => [name, nothing(value)] as const)
  return Object.fromEntries(entries) as Furnishing
}

const furnish = async (place: Place, organizationId: string) => {
  const { project } = await place.post('/api/v1/projects', { projectName: 'Matrix' })
  const projectId = project.id as string
  const inProject = await furnishProject(place, projectId)
  const group = await place.post('/api/v1/groups', { name: fresh('group') })
  await place.post(`/api/v1/projects/${projectId}/memberships/groups/${group.id}`)
  const role = await newOrganizationRole(place)
  const person = await newMember(place, organizationId, projectId)
  return {
    organizationId,
    orgId: organizationId,
    projectId,
    workspaceId: projectId,
    projectSlug: project.slug as string,
    groupId: group.id as string,
    groupName: group.name as string,
    ...inProject,
    ...role,
    ...person,
    ...(await newMachine(place, organizationId, projectId)),
    ...(await newOwnedMachine(place, projectId)),
    ...NO_SESSION,
    ...(await furnishCertificates(place)),
  }
}

/** Only someone who ends a session of their own has one to name. */
const NO_SESSION = { sessionId: newId(), sessionToken: '' }

const furnishProject = async (place: Place, projectId: string) => ({
  ...(await newSecret(place, projectId)),
  ...(await newFolder(place, projectId)),
  ...(await newTag(place, projectId)),
  ...(await newImport(place, projectId)),
  ...(await newRole(place, projectId)),
  ...(await newEnvironment(place, projectId)),
})

const newSecret = async (place: Place, projectId: string) => {
  const secretName = fresh('secret')
  const at = { projectId, environment: 'dev' }
  const path = `/api/v4/secrets/${secretName}`
  const { secret } = await place.post(path, { ...at, secretValue: 'one' })
  await place.ask('PATCH', path, { ...at, secretValue: 'two' })
  const versions = await place.ask('GET', `/api/v1/secret/${secret.id}/secret-versions?offset=0&limit=9`)
  return { secretId: secret.id as string, secretName, versionId: versions.secretVersions[1].id as string }
}

const newFolder = async (place: Place, projectId: string) => {
  const name = fresh('folder')
  const { folder } = await place.post('/api/v2/folders', { projectId, environment: 'dev', name })
  return { folderId: folder.id as string, folderName: name }
}

const newTag = async (place: Place, projectId: string) => {
  const slug = fresh('tag')
  const { tag } = await place.post(`/api/v1/projects/${projectId}/tags`, { slug, color: '#123456' })
  return { tagId: tag.id as string, tagSlug: slug }
}

const newImport = async (place: Place, projectId: string) => {
  const source = { environment: 'prod', path: `/${fresh('source')}` }
  const body = { projectId, environment: 'dev', import: source }
  return { importId: (await place.post('/api/v2/secret-imports', body)).secretImport.id as string }
}

const newRole = async (place: Place, projectId: string) => {
  const slug = fresh('role')
  const body = { slug, name: slug, permissions: [{ subject: 'secrets', action: ['describeSecret'] }] }
  const { role } = await place.post(`/api/v1/projects/${projectId}/roles`, body)
  return { roleId: role.id as string, roleSlug: slug }
}

const newOrganizationRole = async (place: Place) => {
  const slug = fresh('role')
  const body = { slug, name: slug, permissions: [{ subject: 'member', action: ['read'] }] }
  const { role } = await place.post('/api/v1/organization/roles', body)
  return { organizationRoleId: role.id as string, organizationRoleSlug: slug }
}

const newEnvironment = async (place: Place, projectId: string) => {
  const slug = fresh('env')
  const { environment } = await place.post(`/api/v1/projects/${projectId}/environments`, { name: slug, slug })
  return { envId: environment.id as string, envSlug: slug }
}

const newPerson = async (place: Place, organizationId: string) => {
  const email = `${fresh('person')}@example.com`
  const invitation = { inviteeEmails: [email], organizationId, organizationRoleSlug: 'no-access' }
  await place.post('/api/v1/invite-org/signup', invitation)
  const { users } = await place.ask('GET', `/api/v2/organizations/${organizationId}/memberships`)
  const found = (users as { id: string; user: { id: string; username: string } }[]).find(
    ({ user }) => user.username === email,
  )
  return { username: email, userId: found?.user.id ?? '', organizationMembershipId: found?.id ?? '' }
}

const newMember = async (place: Place, organizationId: string, projectId: string) => {
  const person = await newPerson(place, organizationId)
  const body = { usernames: [person.username], roleSlugs: ['no-access'] }
  const { memberships } = await place.post(`/api/v1/projects/${projectId}/memberships`, body)
  return { ...person, membershipId: memberships[0].id as string }
}

const newIdentity = async (place: Place, organizationId: string) => {
  const body = { name: fresh('machine'), organizationId, role: 'no-access' }
  return { identityId: (await place.post('/api/v1/identities', body)).identity.id as string }
}

/** Every way to log in, and something of each that can be named. */
const attachMethods = async (place: Place, identityId: string) => {
  const oidc = { oidcDiscoveryUrl: DISCOVERY_URL, boundIssuer: DISCOVERY_URL, boundClaims: {} }
  await place.post(`/api/v1/auth/universal-auth/identities/${identityId}`)
  await place.post(`/api/v1/auth/token-auth/identities/${identityId}`)
  await place.post(`/api/v1/auth/oidc-auth/identities/${identityId}`, oidc)
  return { ...(await newClientSecret(place, identityId)), ...(await newToken(place, identityId)) }
}

const newClientSecret = async (place: Place, identityId: string) => {
  const created = await place.post(`/api/v1/auth/universal-auth/identities/${identityId}/client-secrets`)
  return { clientSecretId: created.clientSecretData.id as string }
}

const newToken = async (place: Place, identityId: string) => {
  const created = await place.post(`/api/v1/auth/token-auth/identities/${identityId}/tokens`)
  return { tokenId: created.tokenData.id as string }
}

const newPrivilege = async (place: Place, projectId: string, identityId: string) => {
  const permissions = [{ subject: 'secrets', action: ['describeSecret'] }]
  const body = { projectId, identityId, slug: fresh('privilege'), permissions }
  const { privilege } = await place.post('/api/v2/identity-project-additional-privilege', body)
  return { privilegeId: privilege.id as string, privilegeSlug: privilege.slug as string }
}

const newProjectMachine = async (place: Place, organizationId: string, projectId: string) => {
  const { identityId } = await newIdentity(place, organizationId)
  const joined = await place.post(`/api/v1/projects/${projectId}/memberships/identities/${identityId}`)
  return { identityId, identityMembershipId: joined.identityMembership.id as string }
}

/** Of the organization, in the project. */
const newMachine = async (place: Place, organizationId: string, projectId: string) => {
  const machine = await newProjectMachine(place, organizationId, projectId)
  const methods = await attachMethods(place, machine.identityId)
  return { ...machine, ...methods, ...(await newPrivilege(place, projectId, machine.identityId)) }
}

const newOwnedIdentity = async (place: Place, projectId: string) => {
  const { identity } = await place.post(`/api/v1/projects/${projectId}/identities`, { name: fresh('machine') })
  return { ownedIdentityId: identity.id as string }
}

/** Of the project itself. */
const newOwnedMachine = async (place: Place, projectId: string) => {
  const { ownedIdentityId } = await newOwnedIdentity(place, projectId)
  const { clientSecretId, tokenId } = await attachMethods(place, ownedIdentityId)
  return { ownedIdentityId, ownedClientSecretId: clientSecretId, ownedTokenId: tokenId }
}

const ofProject =
  <Made>(make: (place: Place, projectId: string) => Promise<Made>) =>
  (place: Place) =>
    make(place, place.has.projectId)

/** Throw-away things, for calls that use them up. */
export const another = {
  secret: ofProject(newSecret),
  folder: ofProject(newFolder),
  tag: ofProject(newTag),
  import: ofProject(newImport),
  role: ofProject(newRole),
  environment: ofProject(newEnvironment),
  ownedIdentity: ofProject(newOwnedIdentity),
  ownedMachine: ofProject(newOwnedMachine),
  organizationRole: newOrganizationRole,
  group: async (place: Place) => {
    const group = await place.post('/api/v1/groups', { name: fresh('group') })
    return { groupId: group.id as string, groupName: group.name as string }
  },
  projectGroup: async (place: Place) => {
    const group = await another.group(place)
    await place.post(`/api/v1/projects/${place.has.projectId}/memberships/groups/${group.groupId}`)
    return group
  },
  person: (place: Place) => newPerson(place, place.has.organizationId),
  member: (place: Place) => newMember(place, place.has.organizationId, place.has.projectId),
  identity: (place: Place) => newIdentity(place, place.has.organizationId),
  projectIdentity: (place: Place) => newProjectMachine(place, place.has.organizationId, place.has.projectId),
  machine: (place: Place) => newMachine(place, place.has.organizationId, place.has.projectId),
  clientSecret: (place: Place) => newClientSecret(place, place.has.identityId),
  ownedClientSecret: async (place: Place) => {
    const { clientSecretId } = await newClientSecret(place, place.has.ownedIdentityId)
    return { ownedClientSecretId: clientSecretId }
  },
  token: (place: Place) => newToken(place, place.has.identityId),
  ownedToken: async (place: Place) => ({
    ownedTokenId: (await newToken(place, place.has.ownedIdentityId)).tokenId,
  }),
  privilege: (place: Place) => newPrivilege(place, place.has.projectId, place.has.identityId),
  groupMember: async (place: Place) => {
    const { identityId, username } = place.has
    const group = await another.group(place)
    await place.post(`/api/v1/groups/${group.groupId}/machine-identities/${identityId}`)
    await place.post(`/api/v1/groups/${group.groupId}/users/${username}`)
    return group
  },
  session: async (place: Place) => {
    const sessionToken = await place.logIn()
    const [session] = await place.sessionsOf(sessionToken)
    return { sessionToken, sessionId: session?.id ?? '' }
  },
  /** With the same people and machines in it. */
  project: async (place: Place) => {
    const { project } = await place.post('/api/v1/projects', { projectName: 'Throw away' })
    await place.admit(project.id as string)
    return { projectId: project.id, workspaceId: project.id, projectSlug: project.slug }
  },
}
