/** A separate PostgreSQL in a temporary folder, which can be killed and started again. */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { markOf } from '../../src/server/processes/processes.js';
import { freePort, LOOPBACK } from '../../src/server/temporal/ports.js';
import { until } from '../chaos/extent.js';

const run = promisify(execFile);
/** The database user; connections by loopback are trusted. */
const OWNER = 'temporal';
/** Where Debian installs the programs, one folder per version. */
const DEBIAN = '/usr/lib/postgresql';
const PROGRAMS = ['initdb', 'postgres', 'pg_isready'];

/** Where the programs are and which user runs them, since root must not. */
export interface PostgresPrograms {
  folder: string;
  /** If omitted: the user who runs the tests. */
  as?: { uid: number; gid: number };
}

/** One database server. */
export interface Postgres {
  port: number;
  user: string;
  /** Process ids of the postmaster and all its backends, while it is alive. */
  pids(): number[] | undefined;
  /** Starts it again on the same data, and waits until it answers. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** @returns the programs, or why there are none. */
export function findPostgres(): PostgresPrograms | string {
  const folder = foldersOfPrograms().find((one) => PROGRAMS.every((name) => existsSync(join(one, name))));
  if (!folder) return `PostgreSQL (${PROGRAMS.join(', ')}) is not installed; on Debian: apt-get install postgresql`;
  if (process.getuid?.() !== 0) return { folder };
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => idOf(flag, name));
    if (uid !== undefined && gid !== undefined) return { folder, as: { uid, gid } };
  }
  return 'PostgreSQL does not run as root, and there is no user postgres or nobody';
}

function foldersOfPrograms(): string[] {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  return [...(process.env.PATH ?? '').split(':'), ...versions.map((version) => join(DEBIAN, version, 'bin'))];
}

function idOf(flag: string, name: string): number | undefined {
  try {
    return Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  } catch {
    return undefined;
  }
}

/** Creates an empty database server and starts it. */
export async function startPostgres({ folder, as }: PostgresPrograms): Promise<Postgres> {
  const home = mkdtempSync(join(tmpdir(), 'ability-test-postgres-'));
  if (as) chownSync(home, as.uid, as.gid);
  const data = join(home, 'data');
  const options = { cwd: home, ...as };
  await run(join(folder, 'initdb'), ['-D', data, '-U', OWNER, '--auth=trust'], options);
  const port = await freePort();
  let postmaster: ChildProcess | undefined;
  const pids = (): number[] | undefined => {
    const pid = postmaster?.pid && markOf(postmaster.pid)?.pid;
    return pid === undefined ? undefined : [pid, ...childrenOf(pid)];
  };
  const postgres: Postgres = {
    port,
    user: OWNER,
    pids,
    async start() {
      if (pids()) return;
      const flags = [
        '-D',
        data,
        '-p',
        String(port),
        '-k',
        home,
        '-c',
        `listen_addresses=${LOOPBACK}`,
        '-c',
        'max_connections=300',
      ];
      // A process that has ended but was not collected yet still holds its lock file.
      await until('the killed process to end', () => hasEnded(postmaster) || undefined);
      let stderr = '';
      const child = spawn(join(folder, 'postgres'), flags, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
      child.stderr?.on('data', (chunk: Buffer) => (stderr = `${stderr}${chunk}`.slice(-4000)));
      postmaster = child;
      await until(
        'PostgreSQL to answer',
        () => {
          if (!pids()) throw new Error(`PostgreSQL ended: ${stderr}`);
          return isReady(folder, port) || undefined;
        },
        60_000,
      );
    },
    async stop() {
      postmaster?.kill('SIGQUIT');
      await until('PostgreSQL to end', () => pids() === undefined || undefined);
      rmSync(home, { recursive: true, force: true });
    },
  };
  await postgres.start();
  return postgres;
}

function hasEnded(child: ChildProcess | undefined): boolean {
  return child === undefined || child.exitCode !== null || child.signalCode !== null;
}

function isReady(folder: string, port: number): boolean {
  try {
    execFileSync(join(folder, 'pg_isready'), ['-q', '-h', LOOPBACK, '-p', String(port), '-t', '1']);
    return true;
  } catch {
    return false;
  }
}

function childrenOf(pid: number): number[] {
  const lines = execFileSync('ps', ['-axo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  return lines
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([child, parent]) => (parent === pid && child !== undefined ? [child] : []));
}
