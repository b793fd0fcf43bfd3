-- Projects and who may do what in them.

create table projects (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  name text not null,
  slug text not null,
  type text not null default 'secret-manager',
  description text,
  default_product text,
  -- Despite its name on the wire: keys of secrets must be upper case.
  auto_capitalization boolean not null default false,
  has_delete_protection boolean not null default false,
  secret_sharing boolean not null default true,
  show_snapshots_legacy boolean not null default false,
  -- Whether metadata of secrets must be encrypted; null: nobody has decided.
  enforce_encrypted_metadata boolean,
  secret_detection_ignore_values text[],
  -- How many versions of a secret or folder are kept.
  pit_version_limit integer not null default 10 check (pit_version_limit between 1 and 100),
  -- Null: as long as the installation keeps them.
  audit_logs_retention_days integer check (audit_logs_retention_days >= 0),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (organization_id, slug)
);

alter table identities add foreign key (project_id) references projects on delete cascade;

create table groups (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  name text not null,
  slug text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (organization_id, name),
  unique (organization_id, slug)
);

-- Whoever leaves the organization leaves its groups.
create table group_members (
  id uuid primary key,
  group_id uuid not null references groups on delete cascade,
  organization_id uuid not null,
  user_id uuid,
  identity_id uuid,
  created_at timestamptz not null default now(),
  foreign key (organization_id, user_id) references organization_memberships (organization_id, user_id)
    on delete cascade,
  foreign key (organization_id, identity_id) references organization_memberships (organization_id, identity_id)
    on delete cascade,
  check (num_nonnulls(user_id, identity_id) = 1),
  unique (group_id, user_id),
  unique (group_id, identity_id)
);
create index on group_members (user_id) where user_id is not null;
create index on group_members (identity_id) where identity_id is not null;

alter table organization_memberships
  add column group_id uuid references groups on delete cascade,
  add unique (organization_id, group_id),
  drop constraint organization_memberships_one_actor,
  add constraint organization_memberships_one_actor check (num_nonnulls(user_id, identity_id, group_id) = 1);
create index on organization_memberships (group_id) where group_id is not null;

create table project_roles (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  slug text not null,
  name text not null,
  description text,
  permissions jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (project_id, slug)
);

-- Whoever leaves the organization leaves its projects.
create table project_memberships (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  organization_id uuid not null,
  user_id uuid,
  identity_id uuid,
  group_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  foreign key (organization_id, user_id) references organization_memberships (organization_id, user_id)
    on delete cascade,
  foreign key (organization_id, identity_id) references organization_memberships (organization_id, identity_id)
    on delete cascade,
  foreign key (organization_id, group_id) references organization_memberships (organization_id, group_id)
    on delete cascade,
  check (num_nonnulls(user_id, identity_id, group_id) = 1),
  unique (project_id, user_id),
  unique (project_id, identity_id),
  unique (project_id, group_id)
);
create index on project_memberships (user_id) where user_id is not null;
create index on project_memberships (identity_id) where identity_id is not null;
create index on project_memberships (group_id) where group_id is not null;

-- Role slugs: a predefined one, or 'custom' together with the role it means.
create table project_membership_roles (
  id uuid primary key,
  membership_id uuid not null references project_memberships on delete cascade,
  -- In the order in which they were given.
  position integer not null default 0,
  role text not null,
  custom_role_id uuid references project_roles on delete no action,
  is_temporary boolean not null default false,
  temporary_mode text,
  temporary_range text,
  temporary_access_start_time timestamptz,
  temporary_access_end_time timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((role = 'custom') = (custom_role_id is not null)),
  check (is_temporary = (temporary_access_end_time is not null)),
  check (is_temporary = (temporary_access_start_time is not null))
);
create index on project_membership_roles (membership_id);
create index on project_membership_roles (custom_role_id) where custom_role_id is not null;
create index on project_membership_roles (temporary_access_end_time) where is_temporary;
create index on project_membership_roles (temporary_access_start_time) where is_temporary;

-- What one identity holds in one project beyond its roles; it goes with the identity's own membership.
create table identity_privileges (
  id uuid primary key,
  project_id uuid not null,
  identity_id uuid not null,
  slug text not null,
  permissions jsonb not null,
  -- What the older interface was asked for, to be shown there just so; null when it was not asked.
  requested jsonb,
  is_temporary boolean not null default false,
  temporary_mode text,
  temporary_range text,
  temporary_access_start_time timestamptz,
  temporary_access_end_time timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check (is_temporary = (temporary_access_end_time is not null)),
  check (is_temporary = (temporary_access_start_time is not null)),
  foreign key (project_id, identity_id) references project_memberships (project_id, identity_id) on delete cascade,
  unique (project_id, identity_id, slug)
);
create index on identity_privileges (project_id, temporary_access_end_time) where is_temporary;
create index on identity_privileges (project_id, temporary_access_start_time) where is_temporary;
