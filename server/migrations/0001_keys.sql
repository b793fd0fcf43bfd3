-- The keys that come from outside: what is needed to recognise them, never the keys themselves.
create table root_keys (
  id text primary key check (id ~ '^[0-9a-f]{16}$'),
  check_value bytea not null,
  -- retiring: replaced, but some keys are still wrapped by it
  state text not null check (state in ('active', 'retiring', 'retired')),
  created_at timestamptz not null default now()
);

create unique index root_keys_one_per_state on root_keys (state) where state in ('active', 'retiring');

-- Everything Holdfast encrypts or signs with, each wrapped by a root key.
create table keys (
  id uuid primary key,
  purpose text not null check (length(purpose) between 1 and 64),
  -- the organization or project whose key it is; null: the installation's
  owner_id uuid,
  root_key_id text not null references root_keys (id) on delete restrict,
  wrapped bytea not null,
  state text not null check (state in ('active', 'retired')),
  created_at timestamptz not null default now()
);

create unique index keys_one_active on keys (purpose) where state = 'active' and owner_id is null;
create unique index keys_one_active_per_owner on keys (purpose, owner_id) where state = 'active' and owner_id is not null;
create index keys_by_owner on keys (owner_id, purpose);
create index keys_by_root_key on keys (root_key_id, id);
