import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../platform/db/db.ts'
import { lockTouched } from './dependency-locks.ts'

/** A folder whose content has changed, under the slug that its environment had. It need not be there any more. */
export type Origin = { environmentId: string; environment: string; path: string }
/** A folder that shows something of a changed one. */
export type Dependent = {
  folderId: string
  organizationId: string
  projectId: string
  environment: string
  path: string
  /** Under which values can refer to it, hashed. */
  names: string[]
}

/** More rounds than that are not lost to newcomers in earnest. */
const ROUNDS_MAX = 10

const hashed = (name: RawBuilder<unknown>) =>
  sql`substr(encode(sha256(convert_to(${name}, 'UTF8')), 'hex'), 1, 32)::uuid`

/** Of a project `p`: as in reference-targets.ts. */
const namesOf = (slug: RawBuilder<unknown>, path: RawBuilder<unknown>) => sql`array[
  ${hashed(sql`p.id || '/' || ${slug} || ${path}`)}, ${nameFromAfar(sql`p.slug`, slug, path)}]`

const nameFromAfar = (project: RawBuilder<unknown>, slug: RawBuilder<unknown>, path: RawBuilder<unknown>) =>
  hashed(sql`p.organization_id || '@' || ${project} || '/' || ${slug} || ${path}`)

/** For `with`: `origin` are the folders of a source, each by the names under which values can refer to it. */
export const originsIn = (source: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  given_origin as (
    select environment_id, environment, path collate "C" as path from ${source} as given (environment_id, environment, path)),
  origin as materialized (
    select o.environment_id, o.environment, o.path, home.*
    from given_origin o cross join lateral (
      select p.id as project_id, p.organization_id, ${namesOf(sql`o.environment`, sql`o.path`)} as names
      from environments e join projects p on p.id = e.project_id where e.id = o.environment_id limit 1) as home)`

/** Whether any folder imports or references an origin. Most have none, and are spared the search for all of them. */
export const haveDependents = sql<boolean>`exists (
  select from origin o join secret_imports i on i.source_environment_id = o.environment_id and i.source_path = o.path
) or exists (
  select from origin o cross join lateral (
    select from secrets s where s.referenced && o.names and s.referenced <> '{}' and s.user_id is null limit 1) as referring)`

/** Whether their environments still are what they were when the writer looked. */
export const areCurrent = sql<boolean>`not exists (
  select from given_origin o join environments e on e.id = o.environment_id
  where e.slug <> o.environment or e.soft_deleted_at is not null)`

/**
 * After `originsOf`, with `recursive`: `dependent` are the folders that import or reference an origin, or a folder that
 * does. Each is met once as an origin and once as a dependent at most, so circles end; what waits to be deleted shows
 * nothing. The limits make PostgreSQL look up each folder by its id, whatever it expects.
 */
const following = sql`
  reached as (
    select null::uuid as folder_id, o.* from origin o
    union
    select dependent.*
    from reached r
    cross join lateral (
      select i.folder_id from secret_imports i
      where i.source_environment_id = r.environment_id and i.source_path = r.path
      union
      select s.folder_id from secrets s
      where s.referenced && r.names and s.referenced <> '{}' and s.user_id is null) as found
    cross join lateral (
      select f.id, f.environment_id, e.slug, f.path, p.id, p.organization_id, ${namesOf(sql`e.slug`, sql`f.path`)}
      from folders f
      join environments e on e.id = f.environment_id and e.soft_deleted_at is null
      join projects p on p.id = f.project_id
      where f.id = found.folder_id and (f.environment_id <> r.environment_id or f.path <> r.path) limit 1) as dependent),
  dependent as (
    select folder_id as "folderId", organization_id as "organizationId", project_id as "projectId", environment, path,
      names
    from reached where folder_id is not null order by project_id, environment, path)`

/** One is told from several, since PostgreSQL plans for as many as it is told to expect. */
const listed = (origins: readonly Origin[]): RawBuilder<unknown> => {
  const [first, ...others] = origins
  if (!first || others.length > 0) {
    return sql`unnest(${origins.map(({ environmentId }) => environmentId)}::uuid[],
      ${origins.map(({ environment }) => environment)}::text[], ${origins.map(({ path }) => path)}::text[])`
  }
  const { environmentId, environment, path } = first
  return sql`(select ${environmentId}::uuid, ${environment}::text, ${path}::text)`
}

type Found = { found: Dependent[]; areCurrent: boolean }

/**
 * All of them, held until the end of the transaction: whoever comes to depend on one of them, and so on an origin, has
 * done so before and is among them, or waits and finds what this transaction writes.
 */
export const hold = async (tx: Tx, origins: readonly Origin[]): Promise<Found> => {
  const held = new Set<string>()
  for (let round = 1; ; round++) {
    const dependents = await list(tx, origins)
    const newcomers = dependents.found.filter(({ folderId }) => !held.has(folderId))
    const [first] = newcomers
    if (!first || round === ROUNDS_MAX) return dependents
    const written = newcomers.flatMap(({ names }) => names)
    await lockTouched(tx, { organizationId: first.organizationId, written, dependedOn: [] })
    for (const { folderId } of newcomers) held.add(folderId)
  }
}

export const list = async (tx: Tx, origins: readonly Origin[]): Promise<Found> => {
  if (origins.length === 0) return { found: [], areCurrent: true }
  const { rows } = await sql<Found>`
    with recursive ${originsIn(listed(origins))}, ${following}
    select (select coalesce(json_agg(d), '[]') from dependent d) as found, ${areCurrent} as are_current`.execute(tx)
  return rows[0] ?? { found: [], areCurrent: true }
}

/** The folders that show something by a reference to the project under one of these slugs. */
export const listBySlugs = async (tx: Tx, projectId: string, slugs: readonly string[]): Promise<Dependent[]> => {
  const names = slugs.map((slug) => nameFromAfar(sql`${slug}::text`, sql`e.slug`, sql`f.path`))
  // Nobody imports by a slug: the environment stands for none.
  const { rows } = await sql<Pick<Found, 'found'>>`
    with recursive origin as materialized (
      select '00000000-0000-0000-0000-000000000000'::uuid as environment_id, e.slug as environment, f.path,
        p.id as project_id, p.organization_id, array[${sql.join(names)}] as names
      from projects p join folders f on f.project_id = p.id
      join environments e on e.id = f.environment_id and e.soft_deleted_at is null
      where p.id = ${projectId}), ${following}
    select (select coalesce(json_agg(d), '[]') from dependent d) as found`.execute(tx)
  return rows[0]?.found ?? []
}
