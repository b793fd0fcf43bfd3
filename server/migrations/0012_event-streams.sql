-- How many event streams each process holds open, so that the limit of a project counts them all.

create table event_stream_processes (
  id uuid primary key,
  -- A process that has not said so for a while is taken for dead, and what it held for free.
  seen_at timestamptz not null
);

create table event_stream_counts (
  -- No reference: a stream may outlive its project by a moment.
  project_id uuid not null,
  process_id uuid not null references event_stream_processes on delete cascade,
  streams integer not null check (streams > 0),
  primary key (project_id, process_id)
);
create index on event_stream_counts (process_id);

-- The request that took the last use of a token: a stream that it opened may go on, any other ends.
alter table access_token_states add column used_up_by text;
