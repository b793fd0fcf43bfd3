import { createIdentity } from './test-projects.ts'
import type { Answer, TestServer } from './test-server.ts'

type Admin = { token: string; organizationId: string }
type Rule = { subject: string; action: string | string[]; inverted?: boolean; conditions?: object }

export const UNKNOWN_ID = '11111111-1111-4111-8111-111111111111'

let made = 0
/** A name that nothing else has. */
export const fresh = (word: string): string => `${word}-${++made}`

const expect = (answer: Answer, what: string): Answer => {
  if (answer.status !== 200) throw new Error(`${what} answered ${answer.status}: ${answer.text}`)
  return answer
}

export const createGroup = async (server: TestServer, { token }: Admin, body: object = {}) => {
  const name = fresh('group')
  const answer = await server.post('/api/v1/groups', { name, ...body }, { token })
  return expect(answer, 'create group').body as { id: string; name: string; slug: string; orgId: string }
}

export const createRole = async (server: TestServer, { token }: Admin, projectId: string, ...permissions: Rule[]) => {
  const slug = fresh('role')
  const path = `/api/v1/projects/${projectId}/roles`
  const answer = await server.post(path, { slug, name: `Role ${slug}`, permissions }, { token })
  return expect(answer, 'create role').body.role as { id: string; slug: string; name: string }
}

/** Puts a machine identity into a project; roles by their slugs. */
export const joinAsIdentity = async (
  server: TestServer,
  { token }: Admin,
  projectId: string,
  { identityId, role }: { identityId: string; role: string },
): Promise<void> => {
  const path = `/api/v1/projects/${projectId}/memberships/identities/${identityId}`
  expect(await server.post(path, { role }, { token }), 'add identity')
}

/** A machine identity in a project, with a predefined role or just these rules. */
export const createProjectMember = async (
  server: TestServer,
  admin: Admin,
  projectId: string,
  ...held: [string] | Rule[]
) => {
  const identity = await createIdentity(server, admin, { name: fresh('machine'), role: 'no-access' })
  const [first] = held
  const role =
    typeof first === 'string' ? first : (await createRole(server, admin, projectId, ...(held as Rule[]))).slug
  await joinAsIdentity(server, admin, projectId, { identityId: identity.identityId, role })
  return identity
}

/** A machine identity that may do just this in its organization. */
export const createOrganizationMember = async (server: TestServer, admin: Admin, ...permissions: Rule[]) => {
  const slug = fresh('org-role')
  const body = { slug, name: slug, permissions }
  expect(await server.post('/api/v1/organization/roles', body, { token: admin.token }), 'create organization role')
  return createIdentity(server, admin, { name: fresh('machine'), role: slug })
}

/** Status and wire name of an error, and what would have been needed. */
export const refusal = ({ status, body }: Answer) => [status, body.error, body.details?.missingPermissions]
