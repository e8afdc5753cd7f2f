import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { ATTRIBUTES } from '../../contracts/names.js';
import { attempt } from '../../text/attempt.js';
import { argumentAfter, findProcesses, type ProcessMark, stopProcess } from '../processes/processes.js';
import { LOOPBACK } from './ports.js';

export interface ServerOptions {
  binary: string;
  port: number;
  uiPort: number;
  /** The SQLite file; absent: in memory. */
  database?: string;
  log: string;
  /** In addition to ours, as `name=value`. */
  settings?: readonly string[];
}

/** The server's default is 20 polls per second and queue; see docs/performance.md. */
const SPEED_FLAGS = [
  ...['journal_mode=wal', 'synchronous=1'].flatMap((pragma) => ['--sqlite-pragma', pragma]),
  ...['transfer', 'timer', 'visibility'].flatMap((queue) => [
    '--dynamic-config-value',
    `history.${queue}ProcessorMaxPollRPS=1000`,
  ]),
];

const DATABASE_FLAG = '--db-filename';

/** A graceful stop of the dev server takes one to two seconds. */
const STOP_MS = 5000;

/** Starts Temporal's dev server as a child; the caller holds the runtime lock. */
export function spawnServer(options: ServerOptions): ChildProcess {
  mkdirSync(dirname(options.log), { recursive: true });
  const log = openSync(options.log, 'a');
  try {
    // Without `TEMPORAL_*`, which the server would read as its own flags.
    return spawn(options.binary, argumentsOf(options), {
      cwd: dirname(options.log),
      // Ctrl-C must not reach the server: the workers need it until their calls have ended.
      detached: true,
      stdio: ['ignore', log, log],
      env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TEMPORAL_'))),
    });
  } finally {
    closeSync(log);
  }
}

function argumentsOf({ port, uiPort, database, settings = [] }: ServerOptions): string[] {
  const attributes = Object.entries(ATTRIBUTES).flatMap(([name, type]) => ['--search-attribute', `${name}=${type}`]);
  const listen = ['--ip', LOOPBACK, '--port', String(port), '--ui-port', String(uiPort)];
  const keep = database === undefined ? [] : [DATABASE_FLAG, database];
  const more = settings.flatMap((setting) => ['--dynamic-config-value', setting]);
  return ['server', 'start-dev', ...listen, ...keep, ...attributes, ...SPEED_FLAGS, ...more, '--log-level', 'error'];
}

/** Stops dead runtimes' servers that still have the database open; the caller must hold the lock. */
export async function stopOrphans(database: string): Promise<number> {
  const orphans = findServers(database);
  await Promise.all(orphans.map((mark) => stopProcess(mark, STOP_MS)));
  return orphans.length;
}

/** Compares files, not paths: in a container the same path may be another file, and the reverse. */
function findServers(database: string): ProcessMark[] {
  if (process.platform !== 'linux') return findProcesses([DATABASE_FLAG, database]);
  return findProcesses([DATABASE_FLAG]).filter(({ pid }) => {
    const given = argumentAfter(pid, DATABASE_FLAG);
    if (given === undefined) return false;
    if (given === database && sharesFiles(pid)) return true;
    return isSameFile(`/proc/${pid}/root${given}`, database);
  });
}

function sharesFiles(pid: number): boolean {
  return attempt(() => readlinkSync(`/proc/${pid}/ns/mnt`) === readlinkSync('/proc/self/ns/mnt'), false);
}

/** False if a file cannot be read. */
function isSameFile(one: string, other: string): boolean {
  return attempt(() => {
    const [a, b] = [statSync(one, { bigint: true }), statSync(other, { bigint: true })];
    return a.dev === b.dev && a.ino === b.ino;
  }, false);
}

export function tailOf(file: string, lines = 5): string {
  return attempt(() => readFileSync(file, 'utf8').trimEnd().split('\n').slice(-lines).join('\n'), '');
}
