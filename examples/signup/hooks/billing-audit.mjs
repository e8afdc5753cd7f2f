/** billing_audit: leaves a line about each billing call, made or refused, in the log of the system. */
import { appendFileSync, readFileSync } from 'node:fs';

const { task_id, user_id, payload } = JSON.parse(readFileSync(0, 'utf8'));
const { input, status, error } = payload;
const entry = {
  time: new Date().toISOString(),
  service: 'billing-audit',
  severity: status === 'succeeded' ? 'info' : 'warning',
  message: `${input.action} ${status}${error ? ` (${error.code})` : ''}`,
  task_id,
  user_id,
};
appendFileSync(process.env.SIGNUP_LOG_FILE, `${JSON.stringify(entry)}\n`);
console.log(JSON.stringify({ status: 'ok', infra: { log: [entry.message] } }));
