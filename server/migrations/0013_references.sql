-- Which folders the values of secrets refer to, so that a change of one finds those who show it.

-- Hashes of what a value can call a folder, see modules/secrets/reference-targets.ts. Null: written before this column
-- was there, and not looked at yet.
alter table secrets add column referenced uuid[];

-- Asked with every write, so nothing may wait in it to be put in order.
create index secrets_referenced on secrets using gin (referenced) with (fastupdate = off) where referenced <> '{}';
create index secrets_not_looked_at on secrets (id) where referenced is null;
