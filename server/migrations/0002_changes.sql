-- What transactions tell everybody else, in the order that PostgreSQL alone can vouch for: see platform/changes.

create table changes (
  -- No cache: whoever appends after another has committed must get the higher number.
  seq bigint generated always as identity (cache 1),
  -- Of the whole transaction, also inside a savepoint; 64 bits never wrap around.
  xid xid8 not null default pg_current_xact_id(),
  scope text not null,
  kind text not null,
  -- Never searched, so kept as it was written: jsonb would refuse some strings that json can carry.
  body json,
  -- Tells a row from another that is given the same numbers after a crash that forgot the first.
  appended_at timestamptz not null default clock_timestamp(),
  primary key (xid, seq)
);

create table changes_state (
  is_only boolean primary key default true check (is_only),
  -- Whoever rewrites tables without appending changes (a restore) puts a new one here: all caches and streams end.
  incarnation uuid not null default gen_random_uuid(),
  -- Rows of older transactions may be gone.
  pruned_below xid8 not null default '0',
  -- What pruned_below becomes once it has been known for long enough.
  prune_next_below xid8 not null default pg_snapshot_xmin(pg_current_snapshot()),
  prune_next_noted_at timestamptz not null default clock_timestamp()
);

insert into changes_state default values;
