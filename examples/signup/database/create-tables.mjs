/** Where the example keeps its rows: a schema of its own, so that it can live in a database that has other tables. */
const TABLES = `
  create schema if not exists signup;
  create table if not exists signup.accounts (
    account_id text primary key,
    email      text not null unique,
    created_at timestamptz not null default now()
  );
  create table if not exists signup.users (
    user_id    text primary key,
    email      text not null,
    status     text not null check (status in ('invited', 'active')),
    account_id text references signup.accounts,
    updated_at timestamptz not null default now()
  );
  create table if not exists signup.charges (
    charge_id    text primary key,
    user_id      text not null references signup.users on delete cascade,
    amount_cents integer not null,
    refund_id    text
  );
  create table if not exists signup.answers (
    idempotency_key text primary key,
    request         text not null,
    status          integer,
    body            jsonb,
    created_at      timestamptz not null default now()
  );
`;

/** An address that has an account from the start, to see what becomes of a second sign-up with it. */
export const TAKEN_EMAIL = 'taken@example.test';

/** Makes what is not there yet. @param {import('pg').Pool} pool */
export async function createTables(pool) {
  await pool.query(TABLES);
  await pool.query(
    `insert into signup.accounts (account_id, email) values ('a-taken', $1) on conflict (email) do nothing`,
    [TAKEN_EMAIL],
  );
}
