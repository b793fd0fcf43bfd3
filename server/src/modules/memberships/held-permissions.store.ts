import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import type { Rule } from '../permissions/rule.ts'

/** Someone in a project. */
export type Holder = { projectId: string } & ({ userId: string } | { identityId: string })

/** One thing from which someone has rules; `rules` is null for a predefined role. */
export type Source = {
  id: string
  type: 'role' | 'group_role' | 'additional_privilege'
  membershipId: string | null
  groupId: string | null
  groupName: string | null
  name: string | null
  slug: string
  isTemporary: boolean
  startsAt: Date | null
  endsAt: Date | null
  rules: Rule[] | null
}

/** Own roles first, then those of groups, then privileges. */
export const listSources = async (db: Db, { projectId, ...holder }: Holder): Promise<Source[]> => {
  const [column, id] = 'userId' in holder ? ['user_id', holder.userId] : ['identity_id', holder.identityId]
  const { rows } = await sql<Source>`
    select r.id, case when m.group_id is null then 'role' else 'group_role' end as type, m.id as membership_id,
      g.id as group_id, g.name as group_name, c.name, coalesce(c.slug, r.role) as slug, r.is_temporary,
      r.temporary_access_start_time as starts_at, r.temporary_access_end_time as ends_at, c.permissions as rules,
      m.created_at as since, r.position
    from project_memberships m
    join project_membership_roles r on r.membership_id = m.id
    left join project_roles c on c.id = r.custom_role_id
    left join groups g on g.id = m.group_id
    where m.project_id = ${projectId} and m.id in (
      select own.id from project_memberships own where ${sql.ref(`own.${column}`)} = ${id}
      union all
      select shared.id from group_members b join project_memberships shared on shared.group_id = b.group_id
      where ${sql.ref(`b.${column}`)} = ${id})
    union all
    select v.id, 'additional_privilege', null, null, null, v.slug, v.slug, v.is_temporary,
      v.temporary_access_start_time, v.temporary_access_end_time, v.permissions, v.created_at, 0
    from identity_privileges v where v.project_id = ${projectId} and v.identity_id = ${id}
    order by type desc, since, membership_id, position, id`.execute(db)
  return rows
}
