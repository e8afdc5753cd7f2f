/** db.read.user_row: what the users table has about one user. */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import pg from 'pg';

const { values: files } = parseArgs({ options: { input: { type: 'string' }, output: { type: 'string' } } });
const { user_id } = JSON.parse(readFileSync(files.input, 'utf8'));
const client = new pg.Client({ connectionString: process.env.DATABASE_URL, connectionTimeoutMillis: 5000 });
await client.connect();
try {
  const { rows } = await client.query('select user_id, email, status from signup.users where user_id = $1', [user_id]);
  const [row] = rows;
  writeFileSync(files.output, JSON.stringify(row ? { found: true, row } : { found: false }));
  console.log(`${user_id}: ${row ? row.status : 'no such row'}`);
} finally {
  await client.end();
}
