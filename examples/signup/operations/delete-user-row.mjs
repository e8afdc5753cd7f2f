/** db.delete.user_row: removes a test user with what hangs on it. Deleted twice it is gone all the same. */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import pg from 'pg';

const { values: files } = parseArgs({ options: { input: { type: 'string' }, output: { type: 'string' } } });
const { user_id } = JSON.parse(readFileSync(files.input, 'utf8'));
const client = new pg.Client({ connectionString: process.env.DATABASE_URL, connectionTimeoutMillis: 5000 });
try {
  await client.connect();
  // One statement, so that no row is left without its account when this is killed in between.
  const { rows } = await client.query(
    `with gone as (delete from signup.users where user_id = $1 returning account_id),
     closed as (delete from signup.accounts using gone where accounts.account_id = gone.account_id)
     select count(*)::int as deleted from gone`,
    [user_id],
  );
  writeFileSync(files.output, JSON.stringify({ deleted: rows[0].deleted }));
  console.log(`${user_id}: ${rows[0].deleted === 1 ? 'deleted' : 'no such row'}`);
} catch (error) {
  // What is left on stderr goes into the error of the task, so one line serves better than a stack.
  console.error(error.message || error.code);
  process.exitCode = 1;
} finally {
  await client.end();
}
