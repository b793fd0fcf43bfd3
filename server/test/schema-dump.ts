import type pg from 'pg'

/** Tables in the order of their names, each with its columns, constraints, indexes and triggers; then views and functions. */
const TABLES = `
  select c.oid, c.relname as name, case c.relpersistence when 'u' then 'create unlogged table' else 'create table' end as kind,
    (select string_agg(format('  %I %s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
        case when a.attnotnull then ' not null' else '' end,
        case
          when a.attidentity <> '' then ' generated ' || case a.attidentity when 'a' then 'always' else 'by default' end || ' as identity'
          when a.attgenerated <> '' then ' generated always as (' || pg_get_expr(d.adbin, d.adrelid) || ') stored'
          when d.oid is not null then ' default ' || pg_get_expr(d.adbin, d.adrelid)
          else ''
        end), E',\\n' order by a.attnum)
      from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
    (select string_agg(format('  constraint %I %s', conname, pg_get_constraintdef(k.oid)), E',\\n' order by contype, conname)
      from pg_constraint k where conrelid = c.oid and contype in ('p', 'u', 'f', 'c', 'x')) as constraints,
    (select string_agg(pg_get_indexdef(indexrelid) || ';', E'\\n' order by indexrelid::regclass::text)
      from pg_index i where indrelid = c.oid
        and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))) as indexes,
    (select string_agg(pg_get_triggerdef(oid) || ';', E'\\n' order by tgname) from pg_trigger where tgrelid = c.oid and not tgisinternal) as triggers
  from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
  order by c.relname`

const FUNCTIONS = `
  select pg_get_functiondef(p.oid) as text from pg_proc p
  where p.pronamespace = 'public'::regnamespace
    and not exists (select from pg_depend where objid = p.oid and deptype = 'e')
  order by p.proname`

const VIEWS = `
  select c.relname as name, pg_get_viewdef(c.oid) as definition from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'v' order by c.relname`

type TableRow = {
  name: string
  kind: string
  columns: string
  constraints: string | null
  indexes: string | null
  triggers: string | null
}

/** The present schema as text, for people to read and reviews to compare. (The embedded package brings no pg_dump.) */
export const dumpSchema = async (client: pg.Client): Promise<string> => {
  const tables = await client.query<TableRow>(TABLES)
  const views = await client.query<{ name: string; definition: string }>(VIEWS)
  const functions = await client.query<{ text: string }>(FUNCTIONS)
  const parts = [
    '-- The schema that the migrations lead to. Made by `npm run gen`; do not edit.',
    ...tables.rows.map(describeTable),
    ...views.rows.map(({ name, definition }) => `create view ${name} as\n${definition.trim()}`),
    ...functions.rows.map(({ text }) => `${text.trim()};`),
  ]
  return `${parts.join('\n\n').replaceAll('public.', '')}\n`
}

const describeTable = ({ name, kind, columns, constraints, indexes, triggers }: TableRow): string =>
  [
    `${kind} ${name} (`,
    [columns, constraints].filter((part) => part !== null).join(',\n'),
    ');',
    ...[indexes, triggers].filter((part) => part !== null),
  ].join('\n')
