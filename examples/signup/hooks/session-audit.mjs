/** session_audit: leaves a line about each session that ends in the log of the system. */
import { appendFileSync, readFileSync } from 'node:fs';

const { session_id, user_id, payload } = JSON.parse(readFileSync(0, 'utf8'));
const { reason, turns, tasks } = payload;
const entry = {
  time: new Date().toISOString(),
  service: 'session-audit',
  severity: 'info',
  message: `session ended (${reason}) after ${turns} turns and ${tasks.length} tasks`,
  session_id,
  user_id,
};
appendFileSync(process.env.SIGNUP_LOG_FILE, `${JSON.stringify(entry)}\n`);
console.log(JSON.stringify({ status: 'ok', infra: { log: [entry.message] } }));
