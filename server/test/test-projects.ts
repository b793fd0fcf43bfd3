import { sql } from 'kysely'
import { newId } from '../src/lib/uuid.ts'
import type { Db } from '../src/platform/db/db.ts'
import { logIn } from './test-people.ts'
import type { TestServer } from './test-server.ts'

type Administrator = Awaited<ReturnType<TestServer['bootstrap']>>

/** A machine identity of the organization with a token of its own. */
export const createIdentity = async (
  server: TestServer,
  { token, organizationId }: Pick<Administrator, 'token' | 'organizationId'>,
  { name = 'machine', role = 'member' } = {},
) => {
  const created = await server.post('/api/v1/identities', { name, organizationId, role }, { token })
  const identityId = created.body.identity.id as string
  await server.post(`/api/v1/auth/token-auth/identities/${identityId}`, {}, { token })
  const answer = await server.post(`/api/v1/auth/token-auth/identities/${identityId}/tokens`, {}, { token })
  if (answer.status !== 200) throw new Error(`tokens answered ${answer.status}: ${answer.text}`)
  return { identityId, name, token: answer.body.accessToken as string }
}

/** Straight into the tables, for a test whose subject is not how that is done. */
export const joinProject = async (
  db: Db,
  projectId: string,
  { identityId, role }: { identityId: string; role: string },
) => {
  const id = newId()
  await sql`
    insert into project_memberships (id, project_id, organization_id, identity_id)
    select ${id}, id, organization_id, ${identityId} from projects where id = ${projectId}`.execute(db)
  await sql`insert into project_membership_roles (id, membership_id, role) values (${newId()}, ${id}, ${role})`.execute(
    db,
  )
}

/** A member of a project that `administrator` made, with a token. */
export const createMember = async (
  server: TestServer,
  administrator: Administrator,
  { db, projectId, role }: { db: Db; projectId: string; role: string },
) => {
  const identity = await createIdentity(server, administrator, { name: role })
  await joinProject(db, projectId, { identityId: identity.identityId, role })
  return identity
}

export const createProject = async (server: TestServer, token: string, body: object = {}) => {
  const answer = await server.post('/api/v1/projects', { projectName: 'Payments', ...body }, { token })
  if (answer.status !== 200) throw new Error(`create project answered ${answer.status}: ${answer.text}`)
  return answer.body.project as ProjectBody
}

export type ProjectBody = Record<string, unknown> & {
  id: string
  slug: string
  environments: { id: string; name: string; slug: string }[]
  deletedEnvironments: { id: string; slug: string; deletedBy: unknown }[]
}

/** The administrator as the owner of another organization: everything there must be invisible here. */
export const createOtherOrganization = async (server: TestServer, { email, password }: Administrator) => {
  const anywhere = await logIn(server, { email, password })
  const created = await server.post('/api/v2/organizations', { name: 'Elsewhere' }, { token: anywhere })
  const organizationId = created.body.organization.id as string
  return { organizationId, token: await logIn(server, { email, password, organizationId }) }
}

/** What was recorded of a project, oldest first. */
export const auditOf = async (db: Db, projectId: string, type: string) => {
  const { rows } = await sql<{ actorType: string; eventMetadata: Record<string, unknown>; organizationId: string }>`
    select actor_type, event_metadata, organization_id from audit_logs
    where project_id = ${projectId} and event_type = ${type} order by seq`.execute(db)
  return rows
}
