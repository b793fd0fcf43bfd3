import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import type { Actor } from './actor.ts'
import type { Rule } from './rule.ts'

/** A role as it is held: predefined by its slug, custom with its own rules; times in milliseconds since 1970. */
export type HeldRole = { role: string; rules: Rule[] | null; startsAt: number | null; endsAt: number | null }

/** Its own and those of its groups; undefined when the actor itself is no active member of the organization. */
export const findOrganizationRoles = async (
  db: Db,
  organizationId: string,
  actor: Actor,
): Promise<HeldRole[] | undefined> => {
  const column = actor.type === 'user' ? 'user_id' : 'identity_id'
  const { rows } = await sql<{ roles: HeldRole[] }>`
    select (
      select coalesce(json_agg(${held(sql`r.role`, sql`c.permissions`)} order by r.created_at, r.id), '[]')
      from (
        select m.id
        union all
        select o.id from group_members g
        join organization_memberships o on o.group_id = g.group_id and o.organization_id = m.organization_id
        where ${sql.ref(`g.${column}`)} = ${actor.id}) h
      join organization_membership_roles r on r.membership_id = h.id
      left join organization_roles c on c.id = r.custom_role_id) as roles
    from organization_memberships m
    where m.organization_id = ${organizationId} and ${sql.ref(`m.${column}`)} = ${actor.id}
      and m.is_active and m.status = 'accepted'`.execute(db)
  return rows[0]?.roles
}

/** What an actor holds in a project; `roles` is empty for someone who is no member. */
export type ProjectHoldings = {
  organizationId: string
  roles: HeldRole[]
  privileges: HeldRole[]
  metadata: Record<string, string>
}

/** One query for everything an ability is made of; undefined when there is no such project. */
export const findProjectHoldings = async (
  db: Db,
  projectId: string,
  actor: Actor,
): Promise<ProjectHoldings | undefined> => {
  const column = actor.type === 'user' ? 'user_id' : 'identity_id'
  const { rows } = await sql<ProjectHoldings>`
    select p.organization_id,
      (select coalesce(json_agg(${held(sql`r.role`, sql`c.permissions`)} order by r.created_at, r.id), '[]')
        from (
          select m.id from project_memberships m where m.project_id = p.id and ${sql.ref(`m.${column}`)} = ${actor.id}
          union all
          select m.id from group_members g
          join project_memberships m on m.project_id = p.id and m.group_id = g.group_id
          where ${sql.ref(`g.${column}`)} = ${actor.id}) h
        join project_membership_roles r on r.membership_id = h.id
        left join project_roles c on c.id = r.custom_role_id) as roles,
      (select coalesce(json_agg(${held(sql`'privilege'`, sql`r.permissions`)} order by r.created_at, r.id), '[]')
        from identity_privileges r where r.project_id = p.id and r.identity_id = ${actor.id}) as privileges,
      (select coalesce(json_object_agg(d.key, d.value order by d.id), '{}')
        from identity_metadata d where d.identity_id = ${actor.id}) as metadata
    from projects p where p.id = ${projectId}`.execute(db)
  return rows[0]
}

const held = (role: RawBuilder<unknown>, rules: RawBuilder<unknown>) => sql`json_build_object(
  'role', ${role},
  'rules', ${rules},
  'startsAt', extract(epoch from r.temporary_access_start_time) * 1000,
  'endsAt', extract(epoch from r.temporary_access_end_time) * 1000)`
