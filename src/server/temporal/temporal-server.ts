import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { ATTRIBUTES } from '../../contracts/names.js';
import { argumentAfter, findProcesses, type ProcessMark, stopProcess } from '../processes/processes.js';
import { LOOPBACK } from './ports.js';

/** How the project's Temporal server is started. */
export interface ServerOptions {
  binary: string;
  port: number;
  uiPort: number;
  /** The SQLite file; absent: in memory. */
  database?: string;
  log: string;
  /** Dynamic settings of the server besides ours, as `name=value`. */
  settings?: readonly string[];
}

/** As shipped each queue is polled 20 times a second; see docs/performance.md. */
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
    return spawn(options.binary, argumentsOf(options), {
      cwd: dirname(options.log),
      // A Ctrl-C at the terminal is for us: the workers need the server until their calls have ended.
      detached: true,
      stdio: ['ignore', log, log],
      env: childEnvironment(),
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

/** The server reads `TEMPORAL_*` as flags of its own; the caller's are meant for clients. */
function childEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TEMPORAL_')));
}

/** Stops servers that still have the project's database open although their runtime is gone; the caller holds the lock. */
export async function stopOrphans(database: string): Promise<number> {
  const orphans = findServers(database);
  await Promise.all(orphans.map((mark) => stopProcess(mark, STOP_MS)));
  return orphans.length;
}

/** Servers of this very file: in a container the same path is another file, and the same file may have another path. */
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
  try {
    return readlinkSync(`/proc/${pid}/ns/mnt`) === readlinkSync('/proc/self/ns/mnt');
  } catch {
    return false;
  }
}

/** A file that cannot be read is not ours. */
function isSameFile(one: string, other: string): boolean {
  try {
    const [a, b] = [statSync(one, { bigint: true }), statSync(other, { bigint: true })];
    return a.dev === b.dev && a.ino === b.ino;
  } catch {
    return false;
  }
}

/** The last lines of the server's log, for an error message. */
export function tailOf(file: string, lines = 5): string {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
  } catch {
    return '';
  }
}
