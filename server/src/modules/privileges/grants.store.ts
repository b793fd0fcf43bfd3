import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'

export type HolderType = 'user' | 'identity' | 'group'

/** A role or privilege that is held for a time, and by whom. */
export type TemporaryGrant = {
  id: string
  kind: 'role' | 'privilege'
  slug: string
  holderType: HolderType
  holderId: string
  holderName: string
  /** Null for those who are no people. */
  holderEmail: string | null
  startsAt: Date
  endsAt: Date
}

export type Selection = {
  projectId: string
  from: Date
  to: Date
  holderTypes: readonly HolderType[]
  after: { endsAt: Date; id: string } | undefined
  limit: number
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** Those that start or end from `from` until just before `to`; the one that ends first comes first. */
export const list = async (db: Db, selection: Selection): Promise<TemporaryGrant[]> => {
  const { projectId, holderTypes, after, limit } = selection
  const { rows } = await sql<TemporaryGrant>`
    select * from (
      select r.id, 'role' as kind, coalesce(c.slug, r.role) as slug,
        case when m.user_id is not null then 'user' when m.group_id is not null then 'group' else 'identity' end
          as holder_type,
        coalesce(m.user_id, m.identity_id, m.group_id) as holder_id,
        coalesce(u.username, i.name, g.name) as holder_name, u.email as holder_email,
        r.temporary_access_start_time as starts_at, r.temporary_access_end_time as ends_at
      from project_memberships m
      join project_membership_roles r on r.membership_id = m.id
      left join project_roles c on c.id = r.custom_role_id
      left join users u on u.id = m.user_id
      left join identities i on i.id = m.identity_id
      left join groups g on g.id = m.group_id
      where m.project_id = ${projectId} and ${changesWithin(selection)}
      union all
      select r.id, 'privilege', r.slug, 'identity', i.id, i.name, null,
        r.temporary_access_start_time, r.temporary_access_end_time
      from identity_privileges r join identities i on i.id = r.identity_id
      where r.project_id = ${projectId} and ${changesWithin(selection)}) held
    where holder_type = any (${holderTypes}::text[])
      and (ends_at, id) > (${after?.endsAt ?? '-infinity'}::timestamptz, ${after?.id ?? FIRST_ID}::uuid)
    order by ends_at, id
    limit ${limit}`.execute(db)
  return rows
}

const changesWithin = ({ from, to }: Selection) => sql<boolean>`r.is_temporary and (
  (r.temporary_access_end_time >= ${from} and r.temporary_access_end_time < ${to})
  or (r.temporary_access_start_time >= ${from} and r.temporary_access_start_time < ${to}))`
