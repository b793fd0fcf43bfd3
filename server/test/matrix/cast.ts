import { joinAs, logIn, PASSWORD } from '../test-people.ts'
import { openDatabase } from '../test-database.ts'
import { createIdentity, createOtherOrganization, joinProject } from '../test-projects.ts'
import type { TestServer } from '../test-server.ts'
import type { OrganizationRole, ProjectRole } from './case.ts'
import { fresh, Place } from './place.ts'

/** Someone who calls, as a machine and as a person; in a project only where a role there is given. */
export type Caller = {
  readonly name: string
  readonly organization: OrganizationRole
  readonly project: ProjectRole | undefined
  readonly identity: { readonly id: string; readonly token: string }
  readonly user: { readonly username: string; readonly token: string }
}

type Roles = Pick<Caller, 'organization' | 'project'>
type Admin = Awaited<ReturnType<TestServer['bootstrap']>>

const ROLES: readonly Roles[] = [
  { organization: 'admin', project: undefined },
  { organization: 'member', project: undefined },
  { organization: 'no-access', project: undefined },
  { organization: 'no-access', project: 'admin' },
  { organization: 'no-access', project: 'member' },
  { organization: 'no-access', project: 'viewer' },
  { organization: 'no-access', project: 'no-access' },
]

/** The callers, the project some of them are in, another one of their organization, and one of another organization. */
export const castOf = async (server: TestServer) => {
  const admin = await server.bootstrap()
  const { email, password, organizationId } = admin
  const here = { organizationId, token: await logIn(server, { email, password, organizationId }) }
  const own = await Place.furnished(server, here)
  const other = await Place.furnished(server, here)
  const foreign = await Place.furnished(server, await createOtherOrganization(server, admin))

  const callers: Caller[] = []
  for (const roles of ROLES) callers.push(await newCaller(server, { ...admin, token: here.token }, roles))
  own.admit = (projectId) => admit(own, projectId, callers)
  await own.admit(own.has.projectId)
  await admitToCertificates(server, own.has.certProjectId, callers)
  const visitor = await joinAs(server, { ...here, email: 'visitor@example.com', role: 'no-access' })
  own.logIn = () => logIn(server, { email: visitor.email, password: PASSWORD, organizationId })
  return { callers, own, other, foreign }
}

const newCaller = async (server: TestServer, admin: Admin, roles: Roles): Promise<Caller> => {
  const { organization, project } = roles
  const name = project === undefined ? `${organization} of the organization` : `${project} of the project`
  const { identityId, token } = await createIdentity(server, admin, { name, role: organization })
  const { organizationId } = admin
  const email = `${fresh('caller')}@example.com`
  const person = await joinAs(server, { token: admin.token, organizationId, email, role: organization })
  return { name, ...roles, identity: { id: identityId, token }, user: { username: email, token: person.token } }
}

/** Straight into the tables: not every role can be given there. */
const admitToCertificates = async (server: TestServer, projectId: string, callers: readonly Caller[]) => {
  const db = openDatabase(server.url, 1)
  for (const { project, identity } of callers) {
    if (project !== undefined) await joinProject(db.pool, projectId, { identityId: identity.id, role: project })
  }
  await db.close()
}

const admit = async (place: Place, projectId: string, callers: readonly Caller[]): Promise<void> => {
  const path = `/api/v1/projects/${projectId}/memberships`
  for (const { project, identity, user } of callers) {
    if (project === undefined) continue
    await place.post(`${path}/identities/${identity.id}`, { role: project })
    await place.post(path, { usernames: [user.username], roleSlugs: [project] })
  }
}
