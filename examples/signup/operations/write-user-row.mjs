/** db.write.user_row: one invited user. Written twice it is the same row; a user who has signed up is left alone. */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import pg from 'pg';

const { values: files } = parseArgs({ options: { input: { type: 'string' }, output: { type: 'string' } } });
const { user_id, email } = JSON.parse(readFileSync(files.input, 'utf8'));
const client = new pg.Client({ connectionString: process.env.DATABASE_URL, connectionTimeoutMillis: 5000 });
try {
  await client.connect();
  const { rowCount } = await client.query(
    `insert into signup.users (user_id, email, status) values ($1, $2, 'invited')
     on conflict (user_id) do update set email = excluded.email, updated_at = now() where users.status = 'invited'`,
    [user_id, email],
  );
  const output = rowCount === 1 ? { status: 'success' } : { status: 'error', error_code: 'user_active' };
  writeFileSync(files.output, JSON.stringify(output));
  console.log(`${user_id}: ${rowCount === 1 ? 'invited' : 'has signed up, left alone'}`);
} catch (error) {
  // What is left on stderr goes into the error of the task, so one line serves better than a stack.
  console.error(error.message || error.code);
  process.exitCode = 1;
} finally {
  await client.end();
}
