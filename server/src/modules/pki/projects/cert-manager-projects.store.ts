import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/db.ts'

type DefaultTable = { organizationId: string; projectId: string }

declare module '../../../platform/db/db.ts' {
  interface Tables {
    certificateProjectDefaults: DefaultTable
  }
}

export type CertManagerProject = { id: string; name: string; slug: string; createdAt: Date; isDefault: boolean }

const PER_ORGANIZATION_MAX = 10_000

/** Of the whole organization, oldest first. */
export const list = (db: Db, organizationId: string): Promise<CertManagerProject[]> =>
  db
    .selectFrom('projects as project')
    .leftJoin('certificateProjectDefaults as chosen', 'chosen.projectId', 'project.id')
    .select(['project.id', 'project.name', 'project.slug', 'project.createdAt'])
    .select(sql<boolean>`chosen.project_id is not null`.as('isDefault'))
    .where('project.organizationId', '=', organizationId)
    .where('project.type', '=', 'cert-manager')
    .orderBy('project.createdAt')
    .orderBy('project.id')
    .limit(PER_ORGANIZATION_MAX)
    .execute()

export const setDefault = (tx: Tx, row: DefaultTable): Promise<unknown> =>
  tx
    .insertInto('certificateProjectDefaults')
    .values(row)
    .onConflict((conflict) => conflict.column('organizationId').doUpdateSet({ projectId: row.projectId }))
    .execute()
