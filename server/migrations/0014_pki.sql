-- Certificate authorities, what they issue, and what they take back.

-- Where an organization's certificates are when a request does not say.
create table certificate_project_defaults (
  organization_id uuid primary key references organizations on delete cascade,
  project_id uuid not null references projects on delete cascade
);
create index on certificate_project_defaults (project_id);

create table certificate_authorities (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  name text not null,
  type text not null check (type in ('root', 'intermediate')),
  status text not null check (status in ('active', 'disabled', 'pending-certificate')),
  friendly_name text not null,
  -- The parts of its distinguished name, '' where it has none.
  common_name text not null,
  organization text not null,
  ou text not null,
  country text not null,
  province text not null,
  locality text not null,
  dn text not null,
  -- What was asked for at its creation.
  not_before timestamptz,
  not_after timestamptz,
  -- Null: no constraint.
  max_path_length integer check (max_path_length >= 0),
  key_algorithm text not null,
  -- PKCS#8, sealed.
  private_key bytea not null,
  -- SubjectPublicKeyInfo.
  public_key bytea not null,
  parent_ca_id uuid references certificate_authorities on delete set null,
  -- The certificate it signs by; of authority_certificates.
  active_certificate_id uuid,
  crl_distribution_point_urls text[] not null default '{}',
  disable_managed_crl_distribution_point_url boolean not null default false,
  require_template_for_issuance boolean not null default false,
  auto_renewal_enabled boolean not null default false,
  auto_renewal_days_before_expiry integer check (auto_renewal_days_before_expiry between 1 and 365),
  last_renewal_status text check (last_renewal_status in ('success', 'failed')),
  last_renewal_message text,
  last_renewal_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (project_id, name)
);
create index on certificate_authorities (parent_ca_id) where parent_ca_id is not null;

-- The certificates an authority has had for its key, oldest first.
create table authority_certificates (
  id uuid primary key,
  ca_id uuid not null references certificate_authorities on delete cascade,
  version integer not null check (version > 0),
  serial_number text not null,
  der bytea not null,
  -- The certificates above it, nearest first, as PEM; '' for a root.
  chain text not null,
  not_before timestamptz not null,
  not_after timestamptz not null,
  max_path_length integer,
  parent_ca_id uuid references certificate_authorities on delete set null,
  created_at timestamptz not null default now(),
  unique (ca_id, version)
);

create table certificate_policies (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  name text not null,
  description text,
  -- Its sections as sent: subject, sans, keyUsages, extendedKeyUsages, algorithms, validity, basicConstraints.
  rules jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (project_id, name)
);

create table certificate_profiles (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  slug text not null,
  description text,
  certificate_policy_id uuid not null references certificate_policies,
  issuer_type text not null check (issuer_type in ('ca', 'self-signed')),
  ca_id uuid references certificate_authorities on delete cascade,
  -- Null: only applications may use it.
  api_config jsonb,
  api_config_id uuid,
  defaults jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((issuer_type = 'ca') = (ca_id is not null)),
  unique (project_id, slug)
);
create index on certificate_profiles (certificate_policy_id);
create index on certificate_profiles (ca_id) where ca_id is not null;

create table certificate_templates (
  id uuid primary key,
  ca_id uuid not null references certificate_authorities on delete cascade,
  name text not null,
  -- Regular expressions for what may be asked for.
  common_name text not null,
  subject_alternative_name text not null,
  ttl text not null,
  key_usages text[] not null,
  extended_key_usages text[] not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (ca_id, name)
);

create table certificates (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  -- Null: imported or self-signed.
  ca_id uuid references certificate_authorities on delete cascade,
  ca_cert_id uuid references authority_certificates on delete set null,
  profile_id uuid references certificate_profiles on delete set null,
  certificate_template_id uuid references certificate_templates on delete set null,
  status text not null default 'active' check (status in ('active', 'revoked')),
  -- Lower-case hex without leading zeros.
  serial_number text collate "C" not null,
  friendly_name text not null,
  common_name text not null,
  alt_names text[] not null default '{}',
  not_before timestamptz not null,
  not_after timestamptz not null,
  revoked_at timestamptz,
  -- As in RFC 5280.
  revocation_reason integer check (revocation_reason between 0 and 10),
  key_usages text[],
  extended_key_usages text[],
  key_algorithm text not null,
  signature_algorithm text not null,
  -- {organization, organizationalUnit, country, state, locality, domainComponents}
  subject jsonb not null default '{}',
  fingerprint_sha256 bytea not null,
  fingerprint_sha1 bytea not null,
  is_ca boolean not null default false,
  path_length integer,
  source text not null check (source in ('issued', 'imported')),
  der bytea not null,
  -- The certificates above it where they are not those of its authority, as PEM.
  chain text,
  -- PKCS#8, sealed; null when it was never here.
  private_key bytea,
  metadata jsonb not null default '[]',
  renew_before_days integer,
  renewed_from_certificate_id uuid references certificates on delete set null,
  renewed_by_certificate_id uuid references certificates on delete set null,
  renewal_error text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((status = 'revoked') = (revoked_at is not null)),
  check ((revoked_at is null) = (revocation_reason is null)),
  unique (ca_id, serial_number)
);
create index on certificates (project_id, not_after, id);
create unique index on certificates (serial_number, project_id);
create index on certificates (fingerprint_sha256);
create index on certificates (fingerprint_sha1);
create index on certificates (profile_id, created_at, id) where profile_id is not null;
create index on certificates (ca_cert_id) where ca_cert_id is not null;
create index on certificates (certificate_template_id) where certificate_template_id is not null;
create index on certificates (renewed_from_certificate_id) where renewed_from_certificate_id is not null;
create index on certificates (renewed_by_certificate_id) where renewed_by_certificate_id is not null;

create table certificate_requests (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  profile_id uuid references certificate_profiles on delete set null,
  certificate_id uuid references certificates on delete set null,
  status text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index on certificate_requests (project_id, created_at desc);
create index on certificate_requests (profile_id) where profile_id is not null;
create index on certificate_requests (certificate_id) where certificate_id is not null;

-- What an authority has taken back. It outlives the certificate's own row: deleting a certificate does not bring it back.
create table revocations (
  ca_id uuid not null references certificate_authorities on delete cascade,
  serial_number text collate "C" not null,
  revoked_at timestamptz not null,
  reason integer not null check (reason between 0 and 10),
  not_after timestamptz not null,
  -- When a hold was lifted; such a row stays as long as delta lists have to say so.
  released_at timestamptz,
  -- How lists say it, in DER.
  entry bytea not null,
  -- The number of the first list that says it; null while no list does.
  listed_in bigint,
  primary key (ca_id, serial_number)
);
create index on revocations (ca_id, listed_in);
create index on revocations (ca_id, revoked_at, serial_number);

-- The list of an authority. It stays, as it last was, when the authority goes: certificates point here.
create table revocation_lists (
  id uuid primary key,
  ca_id uuid unique references certificate_authorities on delete set null,
  number bigint not null default 0,
  -- Null until the authority has a certificate to sign it with.
  this_update timestamptz,
  next_update timestamptz,
  -- When it is made anew though nothing has changed.
  refresh_at timestamptz,
  der bytea,
  -- The list on which the delta builds.
  base_number bigint,
  base_at timestamptz,
  delta_der bytea
);
-- Signed bytes hardly shrink, and making the attempt costs more than they save.
alter table revocation_lists alter column der set storage external, alter column delta_der set storage external;
