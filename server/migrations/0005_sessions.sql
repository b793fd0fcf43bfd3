-- How people come in: their sessions, invitations, what holds back guessing, and what the installation says of itself.

create table sessions (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  ip text not null,
  user_agent text not null,
  auth_method text not null,
  -- Access tokens of another version are refused.
  access_version integer not null default 1,
  -- Goes up with each refresh; the version before it is good for some seconds more, any other one ends the session.
  refresh_version integer not null default 1,
  refreshed_at timestamptz,
  -- Kept until it expires, so that its tokens are told apart from forged ones.
  ended_at timestamptz,
  last_used_at timestamptz not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index on sessions (user_id, last_used_at desc, id);
create index on sessions (expires_at);

-- Logins that failed, or are being looked at, within a window of time; by account, by address, by both.
create table login_attempts (
  -- A digest: whatever is typed into the form stays out of the database.
  key bytea primary key,
  attempts integer not null check (attempts >= 0),
  ends_at timestamptz not null
);
create index on login_attempts (ends_at);

-- At most one for a membership: a new one replaces it.
create table organization_invites (
  membership_id uuid primary key references organization_memberships on delete cascade,
  code_hash bytea not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now()
);

create table organization_membership_metadata (
  id uuid primary key,
  membership_id uuid not null references organization_memberships on delete cascade,
  key text not null,
  value text not null
);
create index on organization_membership_metadata (membership_id);

create table instance_settings (
  is_only boolean primary key default true check (is_only),
  instance_id uuid not null default gen_random_uuid(),
  is_initialized boolean not null default false,
  is_sign_up_allowed boolean not null default true,
  allowed_sign_up_domain text,
  -- Null: all of them.
  enabled_login_methods text[] check (cardinality(enabled_login_methods) > 0),
  default_organization_id uuid references organizations on delete set null,
  consent_content text,
  page_frame_content text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index on instance_settings (default_organization_id);

insert into instance_settings default values;
