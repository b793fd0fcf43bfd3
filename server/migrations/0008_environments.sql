-- The environments of projects: dev, staging, prod and the like.

create table environments (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  name text not null,
  slug text not null,
  position integer not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- From then on it is hidden everywhere; after delete_after it is removed for good.
  soft_deleted_at timestamptz,
  delete_after timestamptz,
  deleted_by_user_id uuid references users on delete set null,
  deleted_by_identity_id uuid references identities on delete set null,
  check ((soft_deleted_at is null) = (delete_after is null)),
  check (num_nonnulls(deleted_by_user_id, deleted_by_identity_id) <= num_nonnulls(soft_deleted_at)),
  -- A slug stays taken until its environment is gone for good.
  unique (project_id, slug),
  -- Checked at the end, since several may have to move for one.
  constraint environments_one_per_position
    exclude using btree (project_id with =, position with =) where (soft_deleted_at is null)
    deferrable initially deferred
);
create index on environments (delete_after) where delete_after is not null;
create index on environments (deleted_by_user_id) where deleted_by_user_id is not null;
create index on environments (deleted_by_identity_id) where deleted_by_identity_id is not null;
