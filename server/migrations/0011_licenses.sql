-- Licences that were installed. The token is the truth and is checked whenever it is read; the rest serves to find it.
create table licenses (
  id uuid primary key,
  -- Null: for every organization.
  organization_id uuid references organizations on delete cascade,
  token text not null,
  installed_at timestamptz not null default now()
);
create index on licenses (organization_id);

-- When the evaluation of an installation that brings its own database began: once, by the time of that database.
create table license_evaluation (
  is_only boolean primary key default true check (is_only),
  began_at timestamptz not null default clock_timestamp()
);
