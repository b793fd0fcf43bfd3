-- Machine identities that log in with a JWT of an OpenID provider.
create table oidc_auth_configs (
  id uuid primary key,
  identity_id uuid not null unique references identities on delete cascade,
  discovery_url text not null,
  -- Sealed; null: the provider is trusted like any public one.
  ca_certificate bytea,
  bound_issuer text not null,
  -- Alternatives, joined by ', '; empty: any.
  bound_audiences text not null,
  bound_subject text not null,
  bound_claims jsonb not null,
  claim_metadata_mapping jsonb,
  token_ttl_seconds integer not null,
  token_max_ttl_seconds integer not null,
  token_uses_limit bigint not null,
  token_trusted_ips jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- The last known good keys of a provider, so that a restart during its outage stops nobody. They are public.
create table oidc_provider_keys (
  -- SHA-256 of the discovery URL and the CA certificate
  provider_id bytea primary key,
  issuer text not null,
  keys jsonb not null,
  fetched_at timestamptz not null
);
create index on oidc_provider_keys (fetched_at);

create or replace view auth_methods as
  select 'universal-auth' as method, id, identity_id,
    token_ttl_seconds, token_max_ttl_seconds, token_period_seconds, token_uses_limit, token_trusted_ips
  from universal_auth_configs
  union all
  select 'token-auth', id, identity_id,
    token_ttl_seconds, token_max_ttl_seconds, 0, token_uses_limit, token_trusted_ips
  from token_auth_configs
  union all
  select 'oidc-auth', id, identity_id,
    token_ttl_seconds, token_max_ttl_seconds, 0, token_uses_limit, token_trusted_ips
  from oidc_auth_configs;
