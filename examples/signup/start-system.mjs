/**
 * The example system: database and HTTP service on free loopback ports, and the file they log to.
 *
 * By hand: `node examples/signup/start-system.mjs` starts it, tells this project's definitions where it is (.env.dev and
 * .env.staging), and stops it on Ctrl-C. The log server needs no starting: Ability Runtime does that for the first call.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { createTables } from './database/create-tables.mjs';
import { startDatabase } from './database/start-database.mjs';
import { claimEnvFiles } from './env-files.mjs';
import { openLog } from './service/open-log.mjs';
import { startService } from './service/start-service.mjs';

/** The project this example is of. */
export const PROJECT_ROOT = resolve(fileURLToPath(import.meta.url), '../../..');

/** Where the example keeps its data by default; git ignores it. */
export const SYSTEM_FOLDER = join(PROJECT_ROOT, '.system', 'example');

/** A query that hangs must not keep the system from stopping. */
const PATIENCE_MS = 2000;

/**
 * Starts the system.
 *
 * @param {{ folder: string }} options folder for database and log; no other process may use it meanwhile.
 * @returns {Promise<{ url: string, databaseUrl: string, logFile: string, token: string, env: Record<string, string>,
 * stop(): Promise<void> }>} `env` has the variables the definitions ask for, as a worker or an env file needs them.
 */
export async function startSystem({ folder }) {
  mkdirSync(folder, { recursive: true });
  const logFile = join(folder, 'signup.jsonl');
  const log = openLog(logFile);
  const token = randomBytes(12).toString('hex');
  const database = await startDatabase(join(folder, 'database'));
  const pool = new pg.Pool({ connectionString: database.url, max: 4 });
  pool.on('error', (error) => log('database', 'warning', error.message));
  const stopData = async () => {
    await Promise.race([pool.end(), pause(PATIENCE_MS, undefined, { ref: false })]);
    await database.stop();
  };
  try {
    await createTables(pool);
    const { url, stop } = await startService({ pool, log, token });
    const env = {
      SIGNUP_SERVICE_URL: url,
      BILLING_SERVICE_URL: url,
      BILLING_API_TOKEN: token,
      SIGNUP_DATABASE_URL: database.url,
      SIGNUP_LOG_FILE: logFile,
    };
    return { url, databaseUrl: database.url, logFile, token, env, stop: () => stop().then(stopData) };
  } catch (error) {
    await stopData();
    throw error;
  }
}

async function runByHand() {
  const asked = new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, resolve);
  });
  const files = claimEnvFiles(PROJECT_ROOT, ['dev', 'staging']);
  try {
    const system = await startSystem({ folder: SYSTEM_FOLDER });
    files.write(system.env);
    console.log(`service   ${system.url}\ndatabase  ${system.databaseUrl}\nlog       ${system.logFile}`);
    console.log(`env files ${files.names.join(', ')}\nPress Ctrl-C to stop.`);
    await asked;
    await system.stop();
  } finally {
    files.remove();
  }
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await runByHand().catch((error) => {
    console.error(`error ${error.message}`);
    process.exitCode = 1;
  });
}
