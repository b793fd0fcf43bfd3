-- Folders of environments, the secrets in them, and what secrets are made of.

-- Every environment has a root folder, whose id is that of the environment.
create table folders (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  environment_id uuid not null references environments on delete cascade,
  parent_id uuid references folders on delete cascade,
  name text not null,
  -- Of the whole way from the root, in bytes' order: what lies below '/a' is between '/a/' and '/a0'.
  path text collate "C" not null,
  description text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((parent_id is null) = (path = '/')),
  unique (environment_id, path)
);
create index on folders (parent_id) where parent_id is not null;
create index on folders (project_id);

insert into folders (id, project_id, environment_id, name, path)
select id, project_id, id, 'root', '/' from environments;

create table secret_tags (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  slug text not null,
  color text,
  created_by uuid,
  created_by_type text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (project_id, slug)
);

-- A secret without a user is shared; one with a user overrides the shared one of its name for that user alone.
create table secrets (
  id uuid primary key,
  folder_id uuid not null references folders on delete cascade,
  key text collate "C" not null check (key <> '' and char_length(key) <= 500),
  user_id uuid references users on delete cascade,
  version integer not null check (version > 0),
  value bytea not null,
  comment bytea,
  -- [{key, value, isEncrypted}]; the values of the encrypted ones are null here and sealed together in order.
  metadata jsonb not null default '[]',
  sealed_metadata bytea,
  -- In the row, so that its lock covers them.
  tag_ids uuid[] not null default '{}',
  skip_multiline_encoding boolean,
  reminder_note text,
  reminder_repeat_days integer,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
-- One that is shared, and one of each user. (`nulls not distinct` would need PostgreSQL 15.)
create unique index secrets_one_per_key on secrets (folder_id, key, coalesce(user_id, '00000000-0000-0000-0000-000000000000'));
create index on secrets (user_id) where user_id is not null;
create index on secrets using gin (tag_ids) where tag_ids <> '{}';

-- What each secret has been. Only its value can be blanked; the oldest go when there are more than the project keeps. They outlive
-- their secret, whose deletion is a version too.
create table secret_versions (
  id uuid primary key,
  secret_id uuid not null,
  folder_id uuid not null references folders on delete cascade,
  version integer not null,
  key text collate "C" not null,
  user_id uuid references users on delete cascade,
  is_deletion boolean not null default false,
  value bytea,
  comment bytea,
  metadata jsonb not null default '[]',
  sealed_metadata bytea,
  tag_ids uuid[] not null default '{}',
  skip_multiline_encoding boolean,
  reminder_note text,
  reminder_repeat_days integer,
  actor_type text not null,
  actor_id uuid,
  created_at timestamptz not null default now(),
  check (is_deletion = (value is null)),
  unique (secret_id, version)
);
create index on secret_versions (folder_id, created_at);
create index on secret_versions (user_id) where user_id is not null;

-- A folder shows the secrets of another beside its own. Of two with the same key, the later position wins.
create table secret_imports (
  id uuid primary key,
  folder_id uuid not null references folders on delete cascade,
  position integer not null check (position > 0),
  source_environment_id uuid not null references environments on delete cascade,
  -- It need not exist.
  source_path text collate "C" not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (folder_id, source_environment_id, source_path),
  constraint secret_imports_one_per_position unique (folder_id, position) deferrable initially deferred
);
create index on secret_imports (source_environment_id, source_path);
