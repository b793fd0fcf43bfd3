import { sql } from 'kysely'
import { newId } from '../src/lib/uuid.ts'
import type { Db } from '../src/platform/db/db.ts'
import { openBeside } from './test-database.ts'
import { createIdentity, createMember, createProject } from './test-projects.ts'
import { startTestServer, type TestServer } from './test-server.ts'

export const PRIVILEGES = '/api/v2/identity-project-additional-privilege'
export const LEGACY_PRIVILEGES = '/api/v1/additional-privilege/identity'
export { UNKNOWN_ID } from './test-members.ts'

type Rule = { subject: string; action: string[]; inverted?: boolean; conditions?: object }

export type PrivilegeBody = {
  id: string
  slug: string
  isTemporary: boolean
  temporaryAccessStartTime: string | null
  temporaryAccessEndTime: string | null
  permissions: Rule[]
  createdAt: string
  updatedAt: string
}

/** A server with a project, its administrator, someone to give privileges to, and those who may give none. */
export const startPrivilegeServer = async () => {
  const server = await startTestServer()
  const admin = await server.bootstrap()
  const beside = openBeside(server.url)
  const db = beside.pool
  const project = await createProject(server, admin.token, { slug: 'payments' })
  const member = (role: string) => createMember(server, admin, { db, projectId: project.id, role })
  return {
    server,
    admin,
    db,
    project,
    token: admin.token,
    target: await member('no-access'),
    viewer: await member('viewer'),
    editor: await member('member'),
    outsider: await createIdentity(server, admin),
  }
}

/** Straight into the tables: a member whose only role has these rules. */
const joinWithRules = async (db: Db, projectId: string, identityId: string, rules: readonly Rule[]) => {
  const [membershipId, roleId, slug] = [newId(), newId(), `role-${newId()}`]
  const permissions = JSON.stringify(rules)
  await sql`insert into project_roles (id, project_id, slug, name, permissions)
    values (${roleId}, ${projectId}, ${slug}, ${slug}, ${permissions})`.execute(db)
  await sql`insert into project_memberships (id, project_id, organization_id, identity_id)
    select ${membershipId}, id, organization_id, ${identityId} from projects where id = ${projectId}`.execute(db)
  await sql`insert into project_membership_roles (id, membership_id, role, custom_role_id)
    values (${newId()}, ${membershipId}, 'custom', ${roleId})`.execute(db)
}

/** Straight into the tables: a group with one member, in the project with a role. */
export const joinThroughGroup = async (
  db: Db,
  projectId: string,
  { identityId, name }: { identityId: string; name: string },
) => {
  const [groupId, membershipId, roleId] = [newId(), newId(), newId()]
  const ofProject = sql`from projects where id = ${projectId}`
  await sql`insert into groups (id, organization_id, name, slug)
    select ${groupId}, organization_id, ${name}, ${name} ${ofProject}`.execute(db)
  await sql`insert into organization_memberships (id, organization_id, group_id, status, is_active)
    select ${newId()}, organization_id, ${groupId}, 'accepted', true ${ofProject}`.execute(db)
  await sql`insert into group_members (id, group_id, organization_id, identity_id)
    select ${newId()}, ${groupId}, organization_id, ${identityId} ${ofProject}`.execute(db)
  await sql`insert into project_memberships (id, project_id, organization_id, group_id)
    select ${membershipId}, id, organization_id, ${groupId} ${ofProject}`.execute(db)
  await sql`insert into project_membership_roles (id, membership_id, role)
    values (${roleId}, ${membershipId}, 'viewer')`.execute(db)
  return { groupId, membershipId, roleId }
}

/** A member of the project with a token, that may do just this. */
export const createMemberWithRules = async (
  server: TestServer,
  { admin, db, projectId }: { admin: Parameters<typeof createIdentity>[1]; db: Db; projectId: string },
  rules: readonly Rule[],
) => {
  const identity = await createIdentity(server, admin)
  await joinWithRules(db, projectId, identity.identityId, rules)
  return identity
}
