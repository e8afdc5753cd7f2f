/** db.read.user_row: what the users table has about one user. */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import pg from 'pg';

const { values: files } = parseArgs({ options: { input: { type: 'string' }, output: { type: 'string' } } });
const { user_id } = JSON.parse(readFileSync(files.input, 'utf8'));
const client = new pg.Client({ connectionString: process.env.DATABASE_URL, connectionTimeoutMillis: 5000 });
try {
  await client.connect();
  const { rows } = await client.query('select user_id, email, status from signup.users where user_id = $1', [user_id]);
  const [row] = rows;
  writeFileSync(files.output, JSON.stringify(row ? { found: true, row } : { found: false }));
  console.log(`${user_id}: ${row ? row.status : 'no such row'}`);
} catch (error) {
  // What is left on stderr goes into the error of the task, so one line serves better than a stack.
  console.error(error.message || error.code);
  process.exitCode = 1;
} finally {
  await client.end();
}
