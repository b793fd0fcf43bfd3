-- When a token that was made by hand was last used, within a minute.
alter table token_auth_tokens add column last_used_at timestamptz;
alter table token_auth_tokens set (fillfactor = 80);
