-- The schema that the migrations lead to. Made by `npm run gen`; do not edit.

create table access_token_states (
  token_id uuid not null,
  is_revoked boolean not null default false,
  remaining_uses bigint,
  renewed_at timestamp with time zone,
  expires_at timestamp with time zone not null,
  used_up_by text,
  constraint access_token_states_remaining_uses_check CHECK ((remaining_uses >= 0)),
  constraint access_token_states_pkey PRIMARY KEY (token_id)
);
CREATE INDEX access_token_states_expires_at_idx ON access_token_states USING btree (expires_at);

create table audit_head (
  is_only boolean not null default true,
  key_id uuid,
  "position" bigint not null default 0,
  mac bytea not null default '\x'::bytea,
  base_position bigint not null default 0,
  base_mac bytea not null default '\x'::bytea,
  sealed_seq bigint not null default 0,
  sealed_snapshot pg_snapshot not null default '1:1:'::pg_snapshot,
  signature bytea not null default '\x'::bytea,
  constraint audit_head_is_only_check CHECK (is_only),
  constraint audit_head_key_id_fkey FOREIGN KEY (key_id) REFERENCES keys(id) ON DELETE RESTRICT,
  constraint audit_head_pkey PRIMARY KEY (is_only)
);

create table audit_logs (
  seq bigint not null generated always as identity,
  id uuid not null,
  xid xid8 not null default pg_current_xact_id(),
  created_at timestamp with time zone not null default clock_timestamp(),
  organization_id uuid,
  project_id uuid,
  event_type text not null,
  event_metadata jsonb not null,
  actor_type text not null,
  actor_id uuid,
  actor_metadata jsonb not null,
  ip_address text,
  user_agent text,
  user_agent_type text,
  request_id text,
  result text not null,
  constraint audit_logs_result_check CHECK ((result = ANY (ARRAY['success'::text, 'refused'::text]))),
  constraint audit_logs_pkey PRIMARY KEY (seq)
);
CREATE INDEX audit_logs_actor_id_created_at_seq_idx ON audit_logs USING btree (actor_id, created_at, seq) WHERE (actor_id IS NOT NULL);
CREATE INDEX audit_logs_organization_id_created_at_seq_idx ON audit_logs USING btree (organization_id, created_at, seq);
CREATE INDEX audit_logs_organization_id_event_type_created_at_seq_idx ON audit_logs USING btree (organization_id, event_type, created_at, seq);
CREATE INDEX audit_logs_project_id_created_at_seq_idx ON audit_logs USING btree (project_id, created_at, seq) WHERE (project_id IS NOT NULL);
CREATE INDEX audit_logs_xid_idx ON audit_logs USING btree (xid);

create table audit_seals (
  "position" bigint not null,
  log_seq bigint not null,
  log_id uuid not null,
  mac bytea not null,
  constraint audit_seals_pkey PRIMARY KEY ("position"),
  constraint audit_seals_log_seq_key UNIQUE (log_seq)
);

create table auth_lockouts (
  config_id uuid not null,
  identity_id uuid,
  method text not null,
  failed_attempts integer not null,
  is_locked boolean not null,
  expires_at timestamp with time zone not null,
  constraint auth_lockouts_pkey PRIMARY KEY (config_id)
);
CREATE INDEX auth_lockouts_identity_id_idx ON auth_lockouts USING btree (identity_id);

create table authority_certificates (
  id uuid not null,
  ca_id uuid not null,
  version integer not null,
  serial_number text not null,
  der bytea not null,
  chain text not null,
  not_before timestamp with time zone not null,
  not_after timestamp with time zone not null,
  max_path_length integer,
  parent_ca_id uuid,
  created_at timestamp with time zone not null default now(),
  constraint authority_certificates_version_check CHECK ((version > 0)),
  constraint authority_certificates_ca_id_fkey FOREIGN KEY (ca_id) REFERENCES certificate_authorities(id) ON DELETE CASCADE,
  constraint authority_certificates_parent_ca_id_fkey FOREIGN KEY (parent_ca_id) REFERENCES certificate_authorities(id) ON DELETE SET NULL,
  constraint authority_certificates_pkey PRIMARY KEY (id),
  constraint authority_certificates_ca_id_version_key UNIQUE (ca_id, version)
);

create table certificate_authorities (
  id uuid not null,
  project_id uuid not null,
  name text not null,
  type text not null,
  status text not null,
  friendly_name text not null,
  common_name text not null,
  organization text not null,
  ou text not null,
  country text not null,
  province text not null,
  locality text not null,
  dn text not null,
  not_before timestamp with time zone,
  not_after timestamp with time zone,
  max_path_length integer,
  key_algorithm text not null,
  private_key bytea not null,
  public_key bytea not null,
  parent_ca_id uuid,
  active_certificate_id uuid,
  crl_distribution_point_urls text[] not null default '{}'::text[],
  disable_managed_crl_distribution_point_url boolean not null default false,
  require_template_for_issuance boolean not null default false,
  auto_renewal_enabled boolean not null default false,
  auto_renewal_days_before_expiry integer,
  last_renewal_status text,
  last_renewal_message text,
  last_renewal_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint certificate_authorities_auto_renewal_days_before_expiry_check CHECK (((auto_renewal_days_before_expiry >= 1) AND (auto_renewal_days_before_expiry <= 365))),
  constraint certificate_authorities_last_renewal_status_check CHECK ((last_renewal_status = ANY (ARRAY['success'::text, 'failed'::text]))),
  constraint certificate_authorities_max_path_length_check CHECK ((max_path_length >= 0)),
  constraint certificate_authorities_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text, 'pending-certificate'::text]))),
  constraint certificate_authorities_type_check CHECK ((type = ANY (ARRAY['root'::text, 'intermediate'::text]))),
  constraint certificate_authorities_parent_ca_id_fkey FOREIGN KEY (parent_ca_id) REFERENCES certificate_authorities(id) ON DELETE SET NULL,
  constraint certificate_authorities_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE,
  constraint certificate_authorities_pkey PRIMARY KEY (id),
  constraint certificate_authorities_project_id_name_key UNIQUE (project_id, name)
);
CREATE INDEX certificate_authorities_parent_ca_id_idx ON certificate_authorities USING btree (parent_ca_id) WHERE (parent_ca_id IS NOT NULL);

create table certificate_policies (
  id uuid not null,
  project_id uuid not null,
  name text not null,
  description text,
  rules jsonb not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint certificate_policies_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE,
  constraint certificate_policies_pkey PRIMARY KEY (id),
  constraint certificate_policies_project_id_name_key UNIQUE (project_id, name)
);

create table certificate_profiles (
  id uuid not null,
  project_id uuid not null,
  slug text not null,
  description text,
  certificate_policy_id uuid not null,
  issuer_type text not null,
  ca_id uuid,
  api_config jsonb,
  api_config_id uuid,
  defaults jsonb,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint certificate_profiles_check CHECK (((issuer_type = 'ca'::text) = (ca_id IS NOT NULL))),
  constraint certificate_profiles_issuer_type_check CHECK ((issuer_type = ANY (ARRAY['ca'::text, 'self-signed'::text]))),
  constraint certificate_profiles_ca_id_fkey FOREIGN KEY (ca_id) REFERENCES certificate_authorities(id) ON DELETE CASCADE,
  constraint certificate_profiles_certificate_policy_id_fkey FOREIGN KEY (certificate_policy_id) REFERENCES certificate_policies(id),
  constraint certificate_profiles_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE,
  constraint certificate_profiles_pkey PRIMARY KEY (id),
  constraint certificate_profiles_project_id_slug_key UNIQUE (project_id, slug)
);
CREATE INDEX certificate_profiles_ca_id_idx ON certificate_profiles USING btree (ca_id) WHERE (ca_id IS NOT NULL);
CREATE INDEX certificate_profiles_certificate_policy_id_idx ON certificate_profiles USING btree (certificate_policy_id);

create table certificate_project_defaults (
  organization_id uuid not null,
  project_id uuid not null,
  constraint certificate_project_defaults_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint certificate_project_defaults_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE,
  constraint certificate_project_defaults_pkey PRIMARY KEY (organization_id)
);
CREATE INDEX certificate_project_defaults_project_id_idx ON certificate_project_defaults USING btree (project_id);

create table certificate_requests (
  id uuid not null,
  project_id uuid not null,
  profile_id uuid,
  certificate_id uuid,
  status text not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint certificate_requests_certificate_id_fkey FOREIGN KEY (certificate_id) REFERENCES certificates(id) ON DELETE SET NULL,
  constraint certificate_requests_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES certificate_profiles(id) ON DELETE SET NULL,
  constraint certificate_requests_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE,
  constraint certificate_requests_pkey PRIMARY KEY (id)
);
CREATE INDEX certificate_requests_certificate_id_idx ON certificate_requests USING btree (certificate_id) WHERE (certificate_id IS NOT NULL);
CREATE INDEX certificate_requests_profile_id_idx ON certificate_requests USING btree (profile_id) WHERE (profile_id IS NOT NULL);
CREATE INDEX certificate_requests_project_id_created_at_idx ON certificate_requests USING btree (project_id, created_at DESC);

create table certificate_templates (
  id uuid not null,
  ca_id uuid not null,
  name text not null,
  common_name text not null,
  subject_alternative_name text not null,
  ttl text not null,
  key_usages text[] not null,
  extended_key_usages text[] not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint certificate_templates_ca_id_fkey FOREIGN KEY (ca_id) REFERENCES certificate_authorities(id) ON DELETE CASCADE,
  constraint certificate_templates_pkey PRIMARY KEY (id),
  constraint certificate_templates_ca_id_name_key UNIQUE (ca_id, name)
);

create table certificates (
  id uuid not null,
  project_id uuid not null,
  ca_id uuid,
  ca_cert_id uuid,
  profile_id uuid,
  certificate_template_id uuid,
  status text not null default 'active'::text,
  serial_number text not null,
  friendly_name text not null,
  common_name text not null,
  alt_names text[] not null default '{}'::text[],
  not_before timestamp with time zone not null,
  not_after timestamp with time zone not null,
  revoked_at timestamp with time zone,
  revocation_reason integer,
  key_usages text[],
  extended_key_usages text[],
  key_algorithm text not null,
  signature_algorithm text not null,
  subject jsonb not null default '{}'::jsonb,
  fingerprint_sha256 bytea not null,
  fingerprint_sha1 bytea not null,
  is_ca boolean not null default false,
  path_length integer,
  source text not null,
  der bytea not null,
  chain text,
  private_key bytea,
  metadata jsonb not null default '[]'::jsonb,
  renew_before_days integer,
  renewed_from_certificate_id uuid,
  renewed_by_certificate_id uuid,
  renewal_error text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint certificates_check CHECK (((status = 'revoked'::text) = (revoked_at IS NOT NULL))),
  constraint certificates_check1 CHECK (((revoked_at IS NULL) = (revocation_reason IS NULL))),
  constraint certificates_revocation_reason_check CHECK (((revocation_reason >= 0) AND (revocation_reason <= 10))),
  constraint certificates_source_check CHECK ((source = ANY (ARRAY['issued'::text, 'imported'::text]))),
  constraint certificates_status_check CHECK ((status = ANY (ARRAY['active'::text, 'revoked'::text]))),
  constraint certificates_ca_cert_id_fkey FOREIGN KEY (ca_cert_id) REFERENCES authority_certificates(id) ON DELETE SET NULL,
  constraint certificates_ca_id_fkey FOREIGN KEY (ca_id) REFERENCES certificate_authorities(id) ON DELETE CASCADE,
  constraint certificates_certificate_template_id_fkey FOREIGN KEY (certificate_template_id) REFERENCES certificate_templates(id) ON DELETE SET NULL,
  constraint certificates_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES certificate_profiles(id) ON DELETE SET NULL,
  constraint certificates_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE,
  constraint certificates_renewed_by_certificate_id_fkey FOREIGN KEY (renewed_by_certificate_id) REFERENCES certificates(id) ON DELETE SET NULL,
  constraint certificates_renewed_from_certificate_id_fkey FOREIGN KEY (renewed_from_certificate_id) REFERENCES certificates(id) ON DELETE SET NULL,
  constraint certificates_pkey PRIMARY KEY (id),
  constraint certificates_ca_id_serial_number_key UNIQUE (ca_id, serial_number)
);
CREATE INDEX certificates_ca_cert_id_idx ON certificates USING btree (ca_cert_id) WHERE (ca_cert_id IS NOT NULL);
CREATE INDEX certificates_certificate_template_id_idx ON certificates USING btree (certificate_template_id) WHERE (certificate_template_id IS NOT NULL);
CREATE INDEX certificates_fingerprint_sha1_idx ON certificates USING btree (fingerprint_sha1);
CREATE INDEX certificates_fingerprint_sha256_idx ON certificates USING btree (fingerprint_sha256);
CREATE INDEX certificates_profile_id_created_at_id_idx ON certificates USING btree (profile_id, created_at, id) WHERE (profile_id IS NOT NULL);
CREATE INDEX certificates_project_id_not_after_id_idx ON certificates USING btree (project_id, not_after, id);
CREATE INDEX certificates_renewed_by_certificate_id_idx ON certificates USING btree (renewed_by_certificate_id) WHERE (renewed_by_certificate_id IS NOT NULL);
CREATE INDEX certificates_renewed_from_certificate_id_idx ON certificates USING btree (renewed_from_certificate_id) WHERE (renewed_from_certificate_id IS NOT NULL);
CREATE UNIQUE INDEX certificates_serial_number_project_id_idx ON certificates USING btree (serial_number, project_id);

create table changes (
  seq bigint not null generated always as identity,
  xid xid8 not null default pg_current_xact_id(),
  scope text not null,
  kind text not null,
  body json,
  appended_at timestamp with time zone not null default clock_timestamp(),
  constraint changes_pkey PRIMARY KEY (xid, seq)
);

create table changes_state (
  is_only boolean not null default true,
  incarnation uuid not null default gen_random_uuid(),
  pruned_below xid8 not null default '0'::xid8,
  prune_next_below xid8 not null default pg_snapshot_xmin(pg_current_snapshot()),
  prune_next_noted_at timestamp with time zone not null default clock_timestamp(),
  constraint changes_state_is_only_check CHECK (is_only),
  constraint changes_state_pkey PRIMARY KEY (is_only)
);

create table environments (
  id uuid not null,
  project_id uuid not null,
  name text not null,
  slug text not null,
  "position" integer not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  soft_deleted_at timestamp with time zone,
  delete_after timestamp with time zone,
  deleted_by_user_id uuid,
  deleted_by_identity_id uuid,
  constraint environments_check CHECK (((soft_deleted_at IS NULL) = (delete_after IS NULL))),
  constraint environments_check1 CHECK ((num_nonnulls(deleted_by_user_id, deleted_by_identity_id) <= num_nonnulls(soft_deleted_at))),
  constraint environments_deleted_by_identity_id_fkey FOREIGN KEY (deleted_by_identity_id) REFERENCES identities(id) ON DELETE SET NULL,
  constraint environments_deleted_by_user_id_fkey FOREIGN KEY (deleted_by_user_id) REFERENCES users(id) ON DELETE SET NULL,
  constraint environments_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE,
  constraint environments_pkey PRIMARY KEY (id),
  constraint environments_project_id_slug_key UNIQUE (project_id, slug),
  constraint environments_one_per_position EXCLUDE USING btree (project_id WITH =, "position" WITH =) WHERE ((soft_deleted_at IS NULL)) DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX environments_delete_after_idx ON environments USING btree (delete_after) WHERE (delete_after IS NOT NULL);
CREATE INDEX environments_deleted_by_identity_id_idx ON environments USING btree (deleted_by_identity_id) WHERE (deleted_by_identity_id IS NOT NULL);
CREATE INDEX environments_deleted_by_user_id_idx ON environments USING btree (deleted_by_user_id) WHERE (deleted_by_user_id IS NOT NULL);

create table event_stream_counts (
  project_id uuid not null,
  process_id uuid not null,
  streams integer not null,
  constraint event_stream_counts_streams_check CHECK ((streams > 0)),
  constraint event_stream_counts_process_id_fkey FOREIGN KEY (process_id) REFERENCES event_stream_processes(id) ON DELETE CASCADE,
  constraint event_stream_counts_pkey PRIMARY KEY (project_id, process_id)
);
CREATE INDEX event_stream_counts_process_id_idx ON event_stream_counts USING btree (process_id);

create table event_stream_processes (
  id uuid not null,
  seen_at timestamp with time zone not null,
  constraint event_stream_processes_pkey PRIMARY KEY (id)
);

create table folders (
  id uuid not null,
  project_id uuid not null,
  environment_id uuid not null,
  parent_id uuid,
  name text not null,
  path text not null,
  description text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint folders_check CHECK (((parent_id IS NULL) = (path = '/'::text))),
  constraint folders_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id) ON DELETE CASCADE,
  constraint folders_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES folders(id) ON DELETE CASCADE,
  constraint folders_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE,
  constraint folders_pkey PRIMARY KEY (id),
  constraint folders_environment_id_path_key UNIQUE (environment_id, path)
);
CREATE INDEX folders_parent_id_idx ON folders USING btree (parent_id) WHERE (parent_id IS NOT NULL);
CREATE INDEX folders_project_id_idx ON folders USING btree (project_id);

create table group_members (
  id uuid not null,
  group_id uuid not null,
  organization_id uuid not null,
  user_id uuid,
  identity_id uuid,
  created_at timestamp with time zone not null default now(),
  constraint group_members_check CHECK ((num_nonnulls(user_id, identity_id) = 1)),
  constraint group_members_group_id_fkey FOREIGN KEY (group_id) REFERENCES groups(id) ON DELETE CASCADE,
  constraint group_members_organization_id_identity_id_fkey FOREIGN KEY (organization_id, identity_id) REFERENCES organization_memberships(organization_id, identity_id) ON DELETE CASCADE,
  constraint group_members_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES organization_memberships(organization_id, user_id) ON DELETE CASCADE,
  constraint group_members_pkey PRIMARY KEY (id),
  constraint group_members_group_id_identity_id_key UNIQUE (group_id, identity_id),
  constraint group_members_group_id_user_id_key UNIQUE (group_id, user_id)
);
CREATE INDEX group_members_identity_id_idx ON group_members USING btree (identity_id) WHERE (identity_id IS NOT NULL);
CREATE INDEX group_members_user_id_idx ON group_members USING btree (user_id) WHERE (user_id IS NOT NULL);

create table groups (
  id uuid not null,
  organization_id uuid not null,
  name text not null,
  slug text not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint groups_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint groups_pkey PRIMARY KEY (id),
  constraint groups_organization_id_name_key UNIQUE (organization_id, name),
  constraint groups_organization_id_slug_key UNIQUE (organization_id, slug)
);

create table identities (
  id uuid not null,
  organization_id uuid not null,
  project_id uuid,
  name text not null,
  has_delete_protection boolean not null default false,
  is_instance_admin boolean not null default false,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint identities_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint identities_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE,
  constraint identities_pkey PRIMARY KEY (id)
);
CREATE INDEX identities_organization_id_lower_id_idx ON identities USING btree (organization_id, lower(name), id);
CREATE INDEX identities_project_id_idx ON identities USING btree (project_id) WHERE (project_id IS NOT NULL);

create table identity_metadata (
  id uuid not null,
  identity_id uuid not null,
  key text not null,
  value text not null,
  constraint identity_metadata_identity_id_fkey FOREIGN KEY (identity_id) REFERENCES identities(id) ON DELETE CASCADE,
  constraint identity_metadata_pkey PRIMARY KEY (id)
);
CREATE INDEX identity_metadata_identity_id_idx ON identity_metadata USING btree (identity_id);

create table identity_privileges (
  id uuid not null,
  project_id uuid not null,
  identity_id uuid not null,
  slug text not null,
  permissions jsonb not null,
  requested jsonb,
  is_temporary boolean not null default false,
  temporary_mode text,
  temporary_range text,
  temporary_access_start_time timestamp with time zone,
  temporary_access_end_time timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint identity_privileges_check CHECK ((is_temporary = (temporary_access_end_time IS NOT NULL))),
  constraint identity_privileges_check1 CHECK ((is_temporary = (temporary_access_start_time IS NOT NULL))),
  constraint identity_privileges_project_id_identity_id_fkey FOREIGN KEY (project_id, identity_id) REFERENCES project_memberships(project_id, identity_id) ON DELETE CASCADE,
  constraint identity_privileges_pkey PRIMARY KEY (id),
  constraint identity_privileges_project_id_identity_id_slug_key UNIQUE (project_id, identity_id, slug)
);
CREATE INDEX identity_privileges_project_id_temporary_access_end_time_idx ON identity_privileges USING btree (project_id, temporary_access_end_time) WHERE is_temporary;
CREATE INDEX identity_privileges_project_id_temporary_access_start_time_idx ON identity_privileges USING btree (project_id, temporary_access_start_time) WHERE is_temporary;

create table instance_settings (
  is_only boolean not null default true,
  instance_id uuid not null default gen_random_uuid(),
  is_initialized boolean not null default false,
  is_sign_up_allowed boolean not null default true,
  allowed_sign_up_domain text,
  enabled_login_methods text[],
  default_organization_id uuid,
  consent_content text,
  page_frame_content text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint instance_settings_enabled_login_methods_check CHECK ((cardinality(enabled_login_methods) > 0)),
  constraint instance_settings_is_only_check CHECK (is_only),
  constraint instance_settings_default_organization_id_fkey FOREIGN KEY (default_organization_id) REFERENCES organizations(id) ON DELETE SET NULL,
  constraint instance_settings_pkey PRIMARY KEY (is_only)
);
CREATE INDEX instance_settings_default_organization_id_idx ON instance_settings USING btree (default_organization_id);

create table keys (
  id uuid not null,
  purpose text not null,
  owner_id uuid,
  root_key_id text not null,
  wrapped bytea not null,
  state text not null,
  created_at timestamp with time zone not null default now(),
  constraint keys_purpose_check CHECK (((length(purpose) >= 1) AND (length(purpose) <= 64))),
  constraint keys_state_check CHECK ((state = ANY (ARRAY['active'::text, 'retired'::text]))),
  constraint keys_root_key_id_fkey FOREIGN KEY (root_key_id) REFERENCES root_keys(id) ON DELETE RESTRICT,
  constraint keys_pkey PRIMARY KEY (id)
);
CREATE INDEX keys_by_owner ON keys USING btree (owner_id, purpose);
CREATE INDEX keys_by_root_key ON keys USING btree (root_key_id, id);
CREATE UNIQUE INDEX keys_one_active ON keys USING btree (purpose) WHERE ((state = 'active'::text) AND (owner_id IS NULL));
CREATE UNIQUE INDEX keys_one_active_per_owner ON keys USING btree (purpose, owner_id) WHERE ((state = 'active'::text) AND (owner_id IS NOT NULL));

create table license_evaluation (
  is_only boolean not null default true,
  began_at timestamp with time zone not null default clock_timestamp(),
  constraint license_evaluation_is_only_check CHECK (is_only),
  constraint license_evaluation_pkey PRIMARY KEY (is_only)
);

create table licenses (
  id uuid not null,
  organization_id uuid,
  token text not null,
  installed_at timestamp with time zone not null default now(),
  constraint licenses_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint licenses_pkey PRIMARY KEY (id)
);
CREATE INDEX licenses_organization_id_idx ON licenses USING btree (organization_id);

create table login_attempts (
  key bytea not null,
  attempts integer not null,
  ends_at timestamp with time zone not null,
  constraint login_attempts_attempts_check CHECK ((attempts >= 0)),
  constraint login_attempts_pkey PRIMARY KEY (key)
);
CREATE INDEX login_attempts_ends_at_idx ON login_attempts USING btree (ends_at);

create table oidc_auth_configs (
  id uuid not null,
  identity_id uuid not null,
  discovery_url text not null,
  ca_certificate bytea,
  bound_issuer text not null,
  bound_audiences text not null,
  bound_subject text not null,
  bound_claims jsonb not null,
  claim_metadata_mapping jsonb,
  token_ttl_seconds integer not null,
  token_max_ttl_seconds integer not null,
  token_uses_limit bigint not null,
  token_trusted_ips jsonb not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint oidc_auth_configs_identity_id_fkey FOREIGN KEY (identity_id) REFERENCES identities(id) ON DELETE CASCADE,
  constraint oidc_auth_configs_pkey PRIMARY KEY (id),
  constraint oidc_auth_configs_identity_id_key UNIQUE (identity_id)
);

create table oidc_provider_keys (
  provider_id bytea not null,
  issuer text not null,
  keys jsonb not null,
  fetched_at timestamp with time zone not null,
  constraint oidc_provider_keys_pkey PRIMARY KEY (provider_id)
);
CREATE INDEX oidc_provider_keys_fetched_at_idx ON oidc_provider_keys USING btree (fetched_at);

create table organization_invites (
  membership_id uuid not null,
  code_hash bytea not null,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone not null default now(),
  constraint organization_invites_membership_id_fkey FOREIGN KEY (membership_id) REFERENCES organization_memberships(id) ON DELETE CASCADE,
  constraint organization_invites_pkey PRIMARY KEY (membership_id)
);

create table organization_membership_metadata (
  id uuid not null,
  membership_id uuid not null,
  key text not null,
  value text not null,
  constraint organization_membership_metadata_membership_id_fkey FOREIGN KEY (membership_id) REFERENCES organization_memberships(id) ON DELETE CASCADE,
  constraint organization_membership_metadata_pkey PRIMARY KEY (id)
);
CREATE INDEX organization_membership_metadata_membership_id_idx ON organization_membership_metadata USING btree (membership_id);

create table organization_membership_roles (
  id uuid not null,
  membership_id uuid not null,
  role text not null,
  custom_role_id uuid,
  is_temporary boolean not null default false,
  temporary_mode text,
  temporary_range text,
  temporary_access_start_time timestamp with time zone,
  temporary_access_end_time timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint organization_membership_roles_check CHECK (((role = 'custom'::text) = (custom_role_id IS NOT NULL))),
  constraint organization_membership_roles_check1 CHECK ((is_temporary = (temporary_access_end_time IS NOT NULL))),
  constraint organization_membership_roles_check2 CHECK ((is_temporary = (temporary_access_start_time IS NOT NULL))),
  constraint organization_membership_roles_custom_role_id_fkey FOREIGN KEY (custom_role_id) REFERENCES organization_roles(id),
  constraint organization_membership_roles_membership_id_fkey FOREIGN KEY (membership_id) REFERENCES organization_memberships(id) ON DELETE CASCADE,
  constraint organization_membership_roles_pkey PRIMARY KEY (id)
);
CREATE INDEX organization_membership_roles_custom_role_id_idx ON organization_membership_roles USING btree (custom_role_id) WHERE (custom_role_id IS NOT NULL);
CREATE INDEX organization_membership_roles_membership_id_idx ON organization_membership_roles USING btree (membership_id);

create table organization_memberships (
  id uuid not null,
  organization_id uuid not null,
  user_id uuid,
  identity_id uuid,
  status text not null default 'accepted'::text,
  is_active boolean not null default true,
  invite_email text,
  last_invited_at timestamp with time zone,
  last_login_auth_method text,
  last_login_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  group_id uuid,
  constraint organization_memberships_one_actor CHECK ((num_nonnulls(user_id, identity_id, group_id) = 1)),
  constraint organization_memberships_status_check CHECK ((status = ANY (ARRAY['invited'::text, 'accepted'::text]))),
  constraint organization_memberships_group_id_fkey FOREIGN KEY (group_id) REFERENCES groups(id) ON DELETE CASCADE,
  constraint organization_memberships_identity_id_fkey FOREIGN KEY (identity_id) REFERENCES identities(id) ON DELETE CASCADE,
  constraint organization_memberships_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint organization_memberships_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint organization_memberships_pkey PRIMARY KEY (id),
  constraint organization_memberships_organization_id_group_id_key UNIQUE (organization_id, group_id),
  constraint organization_memberships_organization_id_identity_id_key UNIQUE (organization_id, identity_id),
  constraint organization_memberships_organization_id_user_id_key UNIQUE (organization_id, user_id)
);
CREATE INDEX organization_memberships_group_id_idx ON organization_memberships USING btree (group_id) WHERE (group_id IS NOT NULL);
CREATE INDEX organization_memberships_identity_id_idx ON organization_memberships USING btree (identity_id) WHERE (identity_id IS NOT NULL);
CREATE INDEX organization_memberships_user_id_idx ON organization_memberships USING btree (user_id) WHERE (user_id IS NOT NULL);

create table organization_roles (
  id uuid not null,
  organization_id uuid not null,
  slug text not null,
  name text not null,
  description text,
  permissions jsonb not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint organization_roles_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint organization_roles_pkey PRIMARY KEY (id),
  constraint organization_roles_organization_id_slug_key UNIQUE (organization_id, slug)
);

create table organizations (
  id uuid not null,
  name text not null,
  slug text not null,
  default_membership_role text not null default 'member'::text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint organizations_pkey PRIMARY KEY (id),
  constraint organizations_slug_key UNIQUE (slug)
);

create table project_membership_roles (
  id uuid not null,
  membership_id uuid not null,
  "position" integer not null default 0,
  role text not null,
  custom_role_id uuid,
  is_temporary boolean not null default false,
  temporary_mode text,
  temporary_range text,
  temporary_access_start_time timestamp with time zone,
  temporary_access_end_time timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint project_membership_roles_check CHECK (((role = 'custom'::text) = (custom_role_id IS NOT NULL))),
  constraint project_membership_roles_check1 CHECK ((is_temporary = (temporary_access_end_time IS NOT NULL))),
  constraint project_membership_roles_check2 CHECK ((is_temporary = (temporary_access_start_time IS NOT NULL))),
  constraint project_membership_roles_custom_role_id_fkey FOREIGN KEY (custom_role_id) REFERENCES project_roles(id),
  constraint project_membership_roles_membership_id_fkey FOREIGN KEY (membership_id) REFERENCES project_memberships(id) ON DELETE CASCADE,
  constraint project_membership_roles_pkey PRIMARY KEY (id)
);
CREATE INDEX project_membership_roles_custom_role_id_idx ON project_membership_roles USING btree (custom_role_id) WHERE (custom_role_id IS NOT NULL);
CREATE INDEX project_membership_roles_membership_id_idx ON project_membership_roles USING btree (membership_id);
CREATE INDEX project_membership_roles_temporary_access_end_time_idx ON project_membership_roles USING btree (temporary_access_end_time) WHERE is_temporary;
CREATE INDEX project_membership_roles_temporary_access_start_time_idx ON project_membership_roles USING btree (temporary_access_start_time) WHERE is_temporary;

create table project_memberships (
  id uuid not null,
  project_id uuid not null,
  organization_id uuid not null,
  user_id uuid,
  identity_id uuid,
  group_id uuid,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint project_memberships_check CHECK ((num_nonnulls(user_id, identity_id, group_id) = 1)),
  constraint project_memberships_organization_id_group_id_fkey FOREIGN KEY (organization_id, group_id) REFERENCES organization_memberships(organization_id, group_id) ON DELETE CASCADE,
  constraint project_memberships_organization_id_identity_id_fkey FOREIGN KEY (organization_id, identity_id) REFERENCES organization_memberships(organization_id, identity_id) ON DELETE CASCADE,
  constraint project_memberships_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES organization_memberships(organization_id, user_id) ON DELETE CASCADE,
  constraint project_memberships_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE,
  constraint project_memberships_pkey PRIMARY KEY (id),
  constraint project_memberships_project_id_group_id_key UNIQUE (project_id, group_id),
  constraint project_memberships_project_id_identity_id_key UNIQUE (project_id, identity_id),
  constraint project_memberships_project_id_user_id_key UNIQUE (project_id, user_id)
);
CREATE INDEX project_memberships_group_id_idx ON project_memberships USING btree (group_id) WHERE (group_id IS NOT NULL);
CREATE INDEX project_memberships_identity_id_idx ON project_memberships USING btree (identity_id) WHERE (identity_id IS NOT NULL);
CREATE INDEX project_memberships_user_id_idx ON project_memberships USING btree (user_id) WHERE (user_id IS NOT NULL);

create table project_roles (
  id uuid not null,
  project_id uuid not null,
  slug text not null,
  name text not null,
  description text,
  permissions jsonb not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint project_roles_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE,
  constraint project_roles_pkey PRIMARY KEY (id),
  constraint project_roles_project_id_slug_key UNIQUE (project_id, slug)
);

create table projects (
  id uuid not null,
  organization_id uuid not null,
  name text not null,
  slug text not null,
  type text not null default 'secret-manager'::text,
  description text,
  default_product text,
  auto_capitalization boolean not null default false,
  has_delete_protection boolean not null default false,
  secret_sharing boolean not null default true,
  show_snapshots_legacy boolean not null default false,
  enforce_encrypted_metadata boolean,
  secret_detection_ignore_values text[],
  pit_version_limit integer not null default 10,
  audit_logs_retention_days integer,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint projects_audit_logs_retention_days_check CHECK ((audit_logs_retention_days >= 0)),
  constraint projects_pit_version_limit_check CHECK (((pit_version_limit >= 1) AND (pit_version_limit <= 100))),
  constraint projects_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint projects_pkey PRIMARY KEY (id),
  constraint projects_organization_id_slug_key UNIQUE (organization_id, slug)
);

create table revocation_lists (
  id uuid not null,
  ca_id uuid,
  number bigint not null default 0,
  this_update timestamp with time zone,
  next_update timestamp with time zone,
  refresh_at timestamp with time zone,
  der bytea,
  base_number bigint,
  base_at timestamp with time zone,
  delta_der bytea,
  constraint revocation_lists_ca_id_fkey FOREIGN KEY (ca_id) REFERENCES certificate_authorities(id) ON DELETE SET NULL,
  constraint revocation_lists_pkey PRIMARY KEY (id),
  constraint revocation_lists_ca_id_key UNIQUE (ca_id)
);

create table revocations (
  ca_id uuid not null,
  serial_number text not null,
  revoked_at timestamp with time zone not null,
  reason integer not null,
  not_after timestamp with time zone not null,
  released_at timestamp with time zone,
  entry bytea not null,
  listed_in bigint,
  constraint revocations_reason_check CHECK (((reason >= 0) AND (reason <= 10))),
  constraint revocations_ca_id_fkey FOREIGN KEY (ca_id) REFERENCES certificate_authorities(id) ON DELETE CASCADE,
  constraint revocations_pkey PRIMARY KEY (ca_id, serial_number)
);
CREATE INDEX revocations_ca_id_listed_in_idx ON revocations USING btree (ca_id, listed_in);
CREATE INDEX revocations_ca_id_revoked_at_serial_number_idx ON revocations USING btree (ca_id, revoked_at, serial_number);

create table root_keys (
  id text not null,
  check_value bytea not null,
  state text not null,
  created_at timestamp with time zone not null default now(),
  constraint root_keys_id_check CHECK ((id ~ '^[0-9a-f]{16}$'::text)),
  constraint root_keys_state_check CHECK ((state = ANY (ARRAY['active'::text, 'retiring'::text, 'retired'::text]))),
  constraint root_keys_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX root_keys_one_per_state ON root_keys USING btree (state) WHERE (state = ANY (ARRAY['active'::text, 'retiring'::text]));

create table schema_migrations (
  number integer not null,
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone not null default now(),
  constraint schema_migrations_pkey PRIMARY KEY (number)
);

create table secret_imports (
  id uuid not null,
  folder_id uuid not null,
  "position" integer not null,
  source_environment_id uuid not null,
  source_path text not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint secret_imports_position_check CHECK (("position" > 0)),
  constraint secret_imports_folder_id_fkey FOREIGN KEY (folder_id) REFERENCES folders(id) ON DELETE CASCADE,
  constraint secret_imports_source_environment_id_fkey FOREIGN KEY (source_environment_id) REFERENCES environments(id) ON DELETE CASCADE,
  constraint secret_imports_pkey PRIMARY KEY (id),
  constraint secret_imports_folder_id_source_environment_id_source_path_key UNIQUE (folder_id, source_environment_id, source_path),
  constraint secret_imports_one_per_position UNIQUE (folder_id, "position") DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX secret_imports_source_environment_id_source_path_idx ON secret_imports USING btree (source_environment_id, source_path);

create table secret_tags (
  id uuid not null,
  project_id uuid not null,
  slug text not null,
  color text,
  created_by uuid,
  created_by_type text not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint secret_tags_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE,
  constraint secret_tags_pkey PRIMARY KEY (id),
  constraint secret_tags_project_id_slug_key UNIQUE (project_id, slug)
);

create table secret_versions (
  id uuid not null,
  secret_id uuid not null,
  folder_id uuid not null,
  version integer not null,
  key text not null,
  user_id uuid,
  is_deletion boolean not null default false,
  value bytea,
  comment bytea,
  metadata jsonb not null default '[]'::jsonb,
  sealed_metadata bytea,
  tag_ids uuid[] not null default '{}'::uuid[],
  skip_multiline_encoding boolean,
  reminder_note text,
  reminder_repeat_days integer,
  actor_type text not null,
  actor_id uuid,
  created_at timestamp with time zone not null default now(),
  constraint secret_versions_check CHECK ((is_deletion = (value IS NULL))),
  constraint secret_versions_folder_id_fkey FOREIGN KEY (folder_id) REFERENCES folders(id) ON DELETE CASCADE,
  constraint secret_versions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint secret_versions_pkey PRIMARY KEY (id),
  constraint secret_versions_secret_id_version_key UNIQUE (secret_id, version)
);
CREATE INDEX secret_versions_folder_id_created_at_idx ON secret_versions USING btree (folder_id, created_at);
CREATE INDEX secret_versions_user_id_idx ON secret_versions USING btree (user_id) WHERE (user_id IS NOT NULL);

create table secrets (
  id uuid not null,
  folder_id uuid not null,
  key text not null,
  user_id uuid,
  version integer not null,
  value bytea not null,
  comment bytea,
  metadata jsonb not null default '[]'::jsonb,
  sealed_metadata bytea,
  tag_ids uuid[] not null default '{}'::uuid[],
  skip_multiline_encoding boolean,
  reminder_note text,
  reminder_repeat_days integer,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  referenced uuid[],
  constraint secrets_key_check CHECK (((key <> ''::text) AND (char_length(key) <= 500))),
  constraint secrets_version_check CHECK ((version > 0)),
  constraint secrets_folder_id_fkey FOREIGN KEY (folder_id) REFERENCES folders(id) ON DELETE CASCADE,
  constraint secrets_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint secrets_pkey PRIMARY KEY (id)
);
CREATE INDEX secrets_not_looked_at ON secrets USING btree (id) WHERE (referenced IS NULL);
CREATE UNIQUE INDEX secrets_one_per_key ON secrets USING btree (folder_id, key, COALESCE(user_id, '00000000-0000-0000-0000-000000000000'::uuid));
CREATE INDEX secrets_referenced ON secrets USING gin (referenced) WITH (fastupdate=off) WHERE (referenced <> '{}'::uuid[]);
CREATE INDEX secrets_tag_ids_idx ON secrets USING gin (tag_ids) WHERE (tag_ids <> '{}'::uuid[]);
CREATE INDEX secrets_user_id_idx ON secrets USING btree (user_id) WHERE (user_id IS NOT NULL);

create table sessions (
  id uuid not null,
  user_id uuid not null,
  ip text not null,
  user_agent text not null,
  auth_method text not null,
  access_version integer not null default 1,
  refresh_version integer not null default 1,
  refreshed_at timestamp with time zone,
  ended_at timestamp with time zone,
  last_used_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint sessions_pkey PRIMARY KEY (id)
);
CREATE INDEX sessions_expires_at_idx ON sessions USING btree (expires_at);
CREATE INDEX sessions_user_id_last_used_at_id_idx ON sessions USING btree (user_id, last_used_at DESC, id);

create table token_auth_configs (
  id uuid not null,
  identity_id uuid not null,
  token_ttl_seconds integer not null,
  token_max_ttl_seconds integer not null,
  token_uses_limit bigint not null,
  token_trusted_ips jsonb not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint token_auth_configs_identity_id_fkey FOREIGN KEY (identity_id) REFERENCES identities(id) ON DELETE CASCADE,
  constraint token_auth_configs_pkey PRIMARY KEY (id),
  constraint token_auth_configs_identity_id_key UNIQUE (identity_id)
);

create table token_auth_tokens (
  id uuid not null,
  config_id uuid not null,
  name text,
  ttl_seconds integer not null,
  max_ttl_seconds integer not null,
  uses_limit bigint not null,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  last_used_at timestamp with time zone,
  constraint token_auth_tokens_config_id_fkey FOREIGN KEY (config_id) REFERENCES token_auth_configs(id) ON DELETE CASCADE,
  constraint token_auth_tokens_pkey PRIMARY KEY (id)
);
CREATE INDEX token_auth_tokens_config_id_updated_at_id_idx ON token_auth_tokens USING btree (config_id, updated_at DESC, id DESC);
CREATE INDEX token_auth_tokens_expires_at_idx ON token_auth_tokens USING btree (expires_at);

create table universal_auth_client_secrets (
  id uuid not null,
  config_id uuid not null,
  code bytea not null,
  prefix text not null,
  description text not null,
  num_uses bigint not null default 0,
  num_uses_limit bigint not null,
  ttl_seconds integer not null,
  is_revoked boolean not null default false,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint universal_auth_client_secrets_config_id_fkey FOREIGN KEY (config_id) REFERENCES universal_auth_configs(id) ON DELETE CASCADE,
  constraint universal_auth_client_secrets_pkey PRIMARY KEY (id),
  constraint universal_auth_client_secrets_config_id_code_key UNIQUE (config_id, code)
);

create table universal_auth_configs (
  id uuid not null,
  identity_id uuid not null,
  client_id uuid not null,
  token_ttl_seconds integer not null,
  token_max_ttl_seconds integer not null,
  token_period_seconds bigint not null,
  token_uses_limit bigint not null,
  token_trusted_ips jsonb not null,
  client_secret_trusted_ips jsonb not null,
  lockout_enabled boolean not null,
  lockout_threshold double precision not null,
  lockout_duration_seconds double precision not null,
  lockout_counter_reset_seconds double precision not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint universal_auth_configs_identity_id_fkey FOREIGN KEY (identity_id) REFERENCES identities(id) ON DELETE CASCADE,
  constraint universal_auth_configs_pkey PRIMARY KEY (id),
  constraint universal_auth_configs_client_id_key UNIQUE (client_id),
  constraint universal_auth_configs_identity_id_key UNIQUE (identity_id)
);

create table users (
  id uuid not null,
  username text not null,
  email text not null,
  first_name text,
  last_name text,
  password_hash text,
  is_accepted boolean not null default false,
  is_email_verified boolean not null default false,
  is_instance_admin boolean not null default false,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint users_email_check CHECK ((email = lower(email))),
  constraint users_username_check CHECK ((username = lower(username))),
  constraint users_pkey PRIMARY KEY (id),
  constraint users_username_key UNIQUE (username)
);

create view auth_methods as
SELECT 'universal-auth'::text AS method,
    universal_auth_configs.id,
    universal_auth_configs.identity_id,
    universal_auth_configs.token_ttl_seconds,
    universal_auth_configs.token_max_ttl_seconds,
    universal_auth_configs.token_period_seconds,
    universal_auth_configs.token_uses_limit,
    universal_auth_configs.token_trusted_ips
   FROM universal_auth_configs
UNION ALL
 SELECT 'token-auth'::text AS method,
    token_auth_configs.id,
    token_auth_configs.identity_id,
    token_auth_configs.token_ttl_seconds,
    token_auth_configs.token_max_ttl_seconds,
    0 AS token_period_seconds,
    token_auth_configs.token_uses_limit,
    token_auth_configs.token_trusted_ips
   FROM token_auth_configs
UNION ALL
 SELECT 'oidc-auth'::text AS method,
    oidc_auth_configs.id,
    oidc_auth_configs.identity_id,
    oidc_auth_configs.token_ttl_seconds,
    oidc_auth_configs.token_max_ttl_seconds,
    0 AS token_period_seconds,
    oidc_auth_configs.token_uses_limit,
    oidc_auth_configs.token_trusted_ips
   FROM oidc_auth_configs;
