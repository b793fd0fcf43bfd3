import { type Generated, type JSONColumnType, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/db.ts'
import type { PolicyRules } from '../policies/policy-rules.ts'
import type { ProfileDefaults } from './profile-defaults.ts'

export type ApiConfig = { autoRenew: boolean; renewBeforeDays?: number | undefined }

type ProfileTable = {
  id: string
  projectId: string
  slug: string
  description: string | null
  certificatePolicyId: string
  issuerType: 'ca' | 'self-signed'
  caId: string | null
  apiConfig: JSONColumnType<ApiConfig | null, string | null, string | null>
  apiConfigId: string | null
  defaults: JSONColumnType<ProfileDefaults | null, string | null, string | null>
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
}

declare module '../../../platform/db/db.ts' {
  interface Tables {
    certificateProfiles: ProfileTable
  }
}

export type Profile = Selectable<ProfileTable>
/** With the policy that it keeps to and the name of its authority. */
export type ProfileInUse = Profile & {
  policyName: string
  policyDescription: string | null
  policyCreatedAt: Date
  policyUpdatedAt: Date
  rules: PolicyRules
  caName: string | null
  caStatus: string | null
}
export type NewRow = Omit<Profile, 'createdAt' | 'updatedAt'>
export type Changes = Partial<Omit<NewRow, 'id' | 'projectId'>>
export type Filter = {
  search?: string | undefined
  issuerType?: string | undefined
  caId?: string | undefined
  /** False: nothing is found. */
  isEnrollmentBuilt: boolean
}
export type Page = { offset: number; limit: number }

const asJson = (value: object | null): string | null => value && JSON.stringify(value)

/** Undefined when the slug is taken. */
export const insert = (tx: Tx, { apiConfig, defaults, ...row }: NewRow): Promise<Profile | undefined> =>
  tx
    .insertInto('certificateProfiles')
    .values({ ...row, apiConfig: asJson(apiConfig), defaults: asJson(defaults) })
    .onConflict((conflict) => conflict.columns(['projectId', 'slug']).doNothing())
    .returningAll()
    .executeTakeFirst()

/** What is undefined stays as it is. */
export const update = (tx: Tx, id: string, { apiConfig, defaults, ...changes }: Changes): Promise<Profile> =>
  tx
    .updateTable('certificateProfiles')
    .set({
      ...changes,
      ...(apiConfig !== undefined && { apiConfig: asJson(apiConfig) }),
      ...(defaults !== undefined && { defaults: asJson(defaults) }),
      updatedAt: sql`now()`,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

export const deleteById = (tx: Tx, id: string): Promise<Profile | undefined> =>
  tx.deleteFrom('certificateProfiles').where('id', '=', id).returningAll().executeTakeFirst()

export const lock = (tx: Tx, id: string): Promise<Profile | undefined> =>
  tx.selectFrom('certificateProfiles').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()

const selectInUse = (db: Db) =>
  db
    .selectFrom('certificateProfiles as profile')
    .innerJoin('certificatePolicies as policy', 'policy.id', 'profile.certificatePolicyId')
    .leftJoin('certificateAuthorities as ca', 'ca.id', 'profile.caId')
    .selectAll('profile')
    .select(['policy.name as policyName', 'policy.description as policyDescription', 'policy.rules'])
    .select(['policy.createdAt as policyCreatedAt', 'policy.updatedAt as policyUpdatedAt'])
    .select(['ca.name as caName', 'ca.status as caStatus'])

export const findById = (db: Db, organizationId: string, id: string): Promise<ProfileInUse | undefined> =>
  selectInUse(db)
    .innerJoin('projects as project', 'project.id', 'profile.projectId')
    .where('profile.id', '=', id)
    .where('project.organizationId', '=', organizationId)
    .executeTakeFirst()

export const findBySlug = (db: Db, projectId: string, slug: string): Promise<ProfileInUse | undefined> =>
  selectInUse(db).where('profile.projectId', '=', projectId).where('profile.slug', '=', slug).executeTakeFirst()

const filtered = (db: Db, projectId: string, { search, issuerType, caId, isEnrollmentBuilt }: Filter) =>
  selectInUse(db)
    .where('profile.projectId', '=', projectId)
    .$if(!isEnrollmentBuilt, (query) => query.where(sql<boolean>`false`))
    .$if(issuerType !== undefined, (query) => query.where('profile.issuerType', '=', sql<'ca'>`${issuerType}`))
    .$if(caId !== undefined, (query) => query.where('profile.caId', '=', caId ?? null))
    .$if(search !== undefined, (query) =>
      query.where(sql<boolean>`strpos(lower(concat_ws(' ', profile.slug, profile.description)), lower(${search})) > 0`),
    )

export const list = (db: Db, projectId: string, filter: Filter, { offset, limit }: Page): Promise<ProfileInUse[]> =>
  filtered(db, projectId, filter).orderBy('profile.slug').orderBy('profile.id').limit(limit).offset(offset).execute()

export const count = async (db: Db, projectId: string, filter: Filter): Promise<number> => {
  const { total } = await db
    .selectFrom(filtered(db, projectId, filter).as('found'))
    .select(({ fn }) => fn.countAll<string>().as('total'))
    .executeTakeFirstOrThrow()
  return Number(total)
}
