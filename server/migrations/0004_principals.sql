-- Who there is: organizations, people, machine identities, and who belongs where with which role.

create table organizations (
  id uuid primary key,
  name text not null,
  slug text not null unique,
  default_membership_role text not null default 'member',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table organization_roles (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  slug text not null,
  name text not null,
  description text,
  permissions jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (organization_id, slug)
);

create table users (
  id uuid primary key,
  username text not null unique check (username = lower(username)),
  email text not null check (email = lower(email)),
  first_name text,
  last_name text,
  password_hash text,
  is_accepted boolean not null default false,
  is_email_verified boolean not null default false,
  is_instance_admin boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table identities (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  -- Set for an identity that a project owns; such a one is managed in its project only.
  project_id uuid,
  name text not null,
  has_delete_protection boolean not null default false,
  is_instance_admin boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index on identities (organization_id, lower(name), id);
create index on identities (project_id) where project_id is not null;

create table identity_metadata (
  id uuid primary key,
  identity_id uuid not null references identities on delete cascade,
  key text not null,
  value text not null
);
create index on identity_metadata (identity_id);

create table organization_memberships (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  user_id uuid references users on delete cascade,
  identity_id uuid references identities on delete cascade,
  status text not null default 'accepted' check (status in ('invited', 'accepted')),
  is_active boolean not null default true,
  invite_email text,
  last_invited_at timestamptz,
  last_login_auth_method text,
  last_login_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint organization_memberships_one_actor check (num_nonnulls(user_id, identity_id) = 1),
  unique (organization_id, user_id),
  unique (organization_id, identity_id)
);
create index on organization_memberships (user_id) where user_id is not null;
create index on organization_memberships (identity_id) where identity_id is not null;

-- Role slugs: a predefined one, or 'custom' together with the role it means.
create table organization_membership_roles (
  id uuid primary key,
  membership_id uuid not null references organization_memberships on delete cascade,
  role text not null,
  custom_role_id uuid references organization_roles on delete no action,
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
create index on organization_membership_roles (membership_id);
create index on organization_membership_roles (custom_role_id) where custom_role_id is not null;
