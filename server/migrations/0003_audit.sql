-- Who did what, appended and never changed. Rows outlive what they speak of, so nothing here points at another table.

create table audit_logs (
  seq bigint generated always as identity primary key,
  id uuid not null,
  -- Of the whole transaction, for the sealer to find rows that became visible late.
  xid xid8 not null default pg_current_xact_id(),
  created_at timestamptz not null default clock_timestamp(),
  organization_id uuid,
  project_id uuid,
  event_type text not null,
  event_metadata jsonb not null,
  actor_type text not null,
  actor_id uuid,
  actor_metadata jsonb not null,
  ip_address text,
  user_agent text,
  user_agent_type text,
  request_id text,
  result text not null check (result in ('success', 'refused'))
);

create index on audit_logs (xid);
create index on audit_logs (organization_id, created_at, seq);
create index on audit_logs (organization_id, event_type, created_at, seq);
create index on audit_logs (project_id, created_at, seq) where project_id is not null;
create index on audit_logs (actor_id, created_at, seq) where actor_id is not null;

-- The chain over the rows: each code is made from the one before it and from its row.
create table audit_seals (
  position bigint primary key,
  log_seq bigint not null unique,
  -- So that a row which was removed can still be named.
  log_id uuid not null,
  mac bytea not null
);

-- Where the chain ends and begins, signed.
create table audit_head (
  is_only boolean primary key default true check (is_only),
  -- Null until the first row is sealed.
  key_id uuid references keys on delete restrict,
  position bigint not null default 0,
  mac bytea not null default '',
  -- What was before it was removed when its time was over.
  base_position bigint not null default 0,
  base_mac bytea not null default '',
  -- Every row up to this number is sealed, but for those that this snapshot could not see.
  sealed_seq bigint not null default 0,
  sealed_snapshot pg_snapshot not null default '1:1:',
  signature bytea not null default ''
);

insert into audit_head default values;
