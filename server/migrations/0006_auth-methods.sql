-- How machine identities log in, and the little that is remembered of the tokens they were given.

create table universal_auth_configs (
  id uuid primary key,
  identity_id uuid not null unique references identities on delete cascade,
  client_id uuid not null unique,
  token_ttl_seconds integer not null,
  token_max_ttl_seconds integer not null,
  token_period_seconds bigint not null,
  token_uses_limit bigint not null,
  token_trusted_ips jsonb not null,
  client_secret_trusted_ips jsonb not null,
  lockout_enabled boolean not null,
  -- Fractions are allowed, and rounded up when used.
  lockout_threshold double precision not null,
  lockout_duration_seconds double precision not null,
  lockout_counter_reset_seconds double precision not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table universal_auth_client_secrets (
  id uuid primary key,
  config_id uuid not null references universal_auth_configs on delete cascade,
  -- HMAC of client id and secret; the secret itself is nowhere.
  code bytea not null,
  prefix text not null,
  description text not null,
  num_uses bigint not null default 0,
  -- 0: no limit
  num_uses_limit bigint not null,
  -- 0: never ends
  ttl_seconds integer not null,
  is_revoked boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (config_id, code)
) with (fillfactor = 80);

create table token_auth_configs (
  id uuid primary key,
  identity_id uuid not null unique references identities on delete cascade,
  token_ttl_seconds integer not null,
  token_max_ttl_seconds integer not null,
  token_uses_limit bigint not null,
  token_trusted_ips jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- Tokens that were made by hand, to be listed; the settings are those at the time.
create table token_auth_tokens (
  -- also the id inside the token
  id uuid primary key,
  config_id uuid not null references token_auth_configs on delete cascade,
  name text,
  ttl_seconds integer not null,
  max_ttl_seconds integer not null,
  uses_limit bigint not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index on token_auth_tokens (config_id, updated_at desc, id desc);
create index on token_auth_tokens (expires_at);

-- What every method has in common. A further method adds its branch.
create view auth_methods as
  select 'universal-auth' as method, id, identity_id,
    token_ttl_seconds, token_max_ttl_seconds, token_period_seconds, token_uses_limit, token_trusted_ips
  from universal_auth_configs
  union all
  select 'token-auth', id, identity_id,
    token_ttl_seconds, token_max_ttl_seconds, 0, token_uses_limit, token_trusted_ips
  from token_auth_configs;

-- Only tokens that were revoked, renewed or used under a limit have a row; a login makes none.
create table access_token_states (
  token_id uuid primary key,
  is_revoked boolean not null default false,
  -- null: not counted
  remaining_uses bigint check (remaining_uses >= 0),
  renewed_at timestamptz,
  -- when the last of the tokens with this id ends, and with it the need for the row
  expires_at timestamptz not null
) with (fillfactor = 80);
create index on access_token_states (expires_at);

-- Failed logins. Nothing is referenced: a row may stand for nobody, so that an attempt on a client id that does not
-- exist costs the same, and a check of a foreign key would tell them apart.
create table auth_lockouts (
  config_id uuid primary key,
  identity_id uuid,
  method text not null,
  failed_attempts integer not null,
  is_locked boolean not null,
  -- when the lock or, without one, the count ends
  expires_at timestamptz not null
) with (fillfactor = 50);
create index on auth_lockouts (identity_id);
