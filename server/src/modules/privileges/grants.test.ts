import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { newId } from '../../lib/uuid.ts'
import {
  createMemberWithRules,
  joinThroughGroup,
  PRIVILEGES,
  startPrivilegeServer,
  UNKNOWN_ID,
} from '../../../test/test-privileges.ts'
import { createIdentity, createOtherOrganization, createProject } from '../../../test/test-projects.ts'

type Grant = {
  id: string
  kind: string
  slug: string
  holder: object
  startsAt: string
  endsAt: string
  isActive: boolean
}

type Rule = Parameters<typeof createMemberWithRules>[2][number]

const { server, admin, token, db, project, target, viewer, outsider } = await startPrivilegeServer()
const PATH = `/api/x/projects/${project.id}/grants`
const HOUR_MS = 3_600_000
const at = (hours: number) => new Date(Math.floor(Date.now() / 1_000) * 1_000 + hours * HOUR_MS).toISOString()

/** Moments that stay the same for the whole file. */
const [PAST, RECENT, SOON, TOMORROW, NEXT_MONTH, AFTERWARDS] = [at(-500), at(-10), at(2), at(24), at(800), at(801)]

const hold = (membershipId: string, start: string, end: string) => {
  const id = newId()
  return sql`insert into project_membership_roles
      (id, membership_id, role, is_temporary, temporary_mode, temporary_range, temporary_access_start_time, temporary_access_end_time)
    values (${id}, ${membershipId}, 'viewer', true, 'relative', '1h', ${start}, ${end})`
    .execute(db)
    .then(() => id)
}
const membershipOf = async (identityId: string) => {
  const { rows } = await sql<{ id: string }>`
    select id from project_memberships where identity_id = ${identityId} and project_id = ${project.id}`.execute(db)
  return rows[0]?.id ?? ''
}
const grantPrivilege = async (slug: string, start: string, hours: number) => {
  const type = {
    isTemporary: true,
    temporaryMode: 'relative',
    temporaryRange: `${hours}h`,
    temporaryAccessStartTime: start,
  }
  const body = { identityId: target.identityId, projectId: project.id, slug, permissions: [], type }
  return (await server.post(PRIVILEGES, body, { token })).body.privilege.id as string
}

const grouped = await createIdentity(server, admin)
const { groupId, membershipId: ofGroup } = await joinThroughGroup(db, project.id, {
  identityId: grouped.identityId,
  name: 'robots',
})
const personMembership = newId()
await sql`insert into project_memberships (id, project_id, organization_id, user_id)
  values (${personMembership}, ${project.id}, ${admin.organizationId}, ${admin.userId})`.execute(db)

const ids = {
  identityRole: await hold(await membershipOf(viewer.identityId), RECENT, SOON),
  groupRole: await hold(ofGroup, PAST, TOMORROW),
  userRole: await hold(personMembership, SOON, NEXT_MONTH),
  privilege: await grantPrivilege('soon-over', RECENT, 14),
  over: await grantPrivilege('over', PAST, 1),
  distant: await hold(ofGroup, NEXT_MONTH, AFTERWARDS),
}
await server.post(
  PRIVILEGES,
  { identityId: target.identityId, projectId: project.id, slug: 'for-good', permissions: [] },
  { token },
)

const list = async (query: Record<string, string> = {}, as = token) => {
  const answer = await server.get(PATH, { token: as, query })
  assert.equal(answer.status, 200, answer.text)
  return answer.body as { grants: Grant[]; nextCursor: string | null }
}
const idsOf = ({ grants }: { grants: Grant[] }) => grants.map(({ id }) => id)

describe(`GET /api/x/projects/{projectId}/grants`, () => {
  test('200 lists what starts or ends within a week, by its end, and says who holds it', async () => {
    const { grants, nextCursor } = await list()
    assert.equal(nextCursor, null)
    assert.deepEqual(grants, [
      {
        ...{ id: ids.identityRole, kind: 'role', slug: 'viewer', isActive: true },
        holder: { type: 'identity', id: viewer.identityId, name: 'viewer' },
        ...{ startsAt: RECENT, endsAt: SOON },
      },
      {
        ...{ id: ids.privilege, kind: 'privilege', slug: 'soon-over', isActive: true },
        holder: { type: 'identity', id: target.identityId, name: 'no-access' },
        ...{ startsAt: RECENT, endsAt: new Date(Date.parse(RECENT) + 14 * HOUR_MS).toISOString() },
      },
      {
        ...{ id: ids.groupRole, kind: 'role', slug: 'viewer', isActive: true },
        holder: { type: 'group', id: groupId, name: 'robots' },
        ...{ startsAt: PAST, endsAt: TOMORROW },
      },
      {
        ...{ id: ids.userRole, kind: 'role', slug: 'viewer', isActive: false },
        holder: { type: 'user', id: admin.userId, name: admin.email },
        ...{ startsAt: SOON, endsAt: NEXT_MONTH },
      },
    ])
  })

  test('200 within a window: from its beginning until just before its end', async () => {
    assert.deepEqual(idsOf(await list({ from: SOON, to: new Date(Date.parse(SOON) + 1).toISOString() })), [
      ids.identityRole,
      ids.userRole,
    ])
    assert.deepEqual(idsOf(await list({ from: RECENT, to: SOON })), [ids.identityRole, ids.privilege])
    assert.deepEqual(idsOf(await list({ from: PAST, to: RECENT })), [ids.over, ids.groupRole])
    assert.deepEqual(idsOf(await list({ from: NEXT_MONTH })), [ids.userRole, ids.distant])
  })

  test('200 page by page gives each once', async () => {
    const window = { from: PAST, to: at(900) }
    const seen: string[] = []
    let cursor: string | null = ''
    for (let page = 0; cursor !== null && page < 10; page++) {
      const answer = await list({ ...window, limit: '2', cursor })
      seen.push(...idsOf(answer))
      cursor = answer.nextCursor
    }
    assert.deepEqual(seen, idsOf(await list(window)))
    assert.deepEqual([...seen].sort(), Object.values(ids).sort())
  })

  test('what the actor may not see is left out', async () => {
    for (const [rule, expected] of [
      [{ subject: 'member', action: ['read'] }, [ids.userRole]],
      [{ subject: 'member', action: ['read'], conditions: { userEmail: 'x@example.com' } }, []],
      [{ subject: 'groups', action: ['read'], conditions: { groupName: 'robots' } }, [ids.groupRole]],
      [{ subject: 'groups', action: ['read'], conditions: { groupName: 'others' } }, []],
      [{ subject: 'identity', action: ['read'], conditions: { identityId: target.identityId } }, [ids.privilege]],
    ] as [Rule, string[]][]) {
      const someone = await createMemberWithRules(server, { admin, db, projectId: project.id }, [rule])
      assert.deepEqual(idsOf(await list({}, someone.token)), expected)
    }
  })

  test('401, 403 and 404', async () => {
    const elsewhere = await createOtherOrganization(server, admin)
    const foreign = await createProject(server, elsewhere.token)
    const status = async (path: string, as?: string) => {
      const answer = await server.get(path, { token: as })
      return [answer.status, answer.body.error]
    }
    assert.deepEqual(await status(PATH), [401, 'UnauthorizedError'])
    assert.deepEqual(await status(PATH, target.token), [403, 'PermissionDenied'])
    assert.deepEqual(await status(PATH, outsider.token), [403, 'ProjectMembershipNotFound'])
    for (const id of [foreign.id, UNKNOWN_ID, 'abc']) {
      assert.deepEqual(await status(`/api/x/projects/${id}/grants`, token), [404, 'NotFound'])
    }
  })

  for (const query of [
    { from: 'now' },
    { from: SOON, to: SOON },
    { from: SOON, to: PAST },
    { from: PAST, to: at(9_000) },
    { limit: '0' },
    { limit: '501' },
    { cursor: 'x' },
    { cursor: `${SOON}_x` },
  ]) {
    test(`422 for ${Object.keys(query).join(' and ')} that cannot be: ${Object.values(query).at(-1)?.slice(0, 12)}`, async () => {
      const answer = await server.get(PATH, { token, query: query })
      assert.deepEqual([answer.status, answer.body.error], [422, 'ValidationFailure'])
    })
  }
})
