/** Everything that runs while it is measured: one server, one service, a worker process for each contender. */
import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client, Connection as TemporalConnection } from '@temporalio/client';
import { type Connection, connect } from '../src/client/index.js';
import { taskQueueOf } from '../src/contracts/names.js';
import { obtainTemporal } from '../src/server/binary/find-temporal.js';
import { markOf, stopProcess } from '../src/server/processes/processes.js';
import { freePort, LOOPBACK } from '../src/server/temporal/ports.js';
import { spawnServer } from '../src/server/temporal/temporal-server.js';
import { bareTwin, type Contender, product, twin } from './contenders.js';
import { type Running, start } from './processes.js';
import { BARE, CONTRACT, TWIN } from './scenarios.js';
import type { Watched } from './scripts-at-once.js';

/** Root of the repository, seen from the compiled benchmark. */
const ROOT = join(import.meta.dirname, '../../..');
const TWIN_BUILD = join(ROOT, 'bench/twin/build');
const PROJECT = 'bench';
const CONNECT_MS = 20_000;

/** How the product's hooks are named in the tables, by the environment of bench/project that has them. */
export const HOOKS = {
  dev0: 'no hooks',
  dev1: '1 expression',
  dev3: '3 expressions',
  devb: 'expr + built-in',
  devs: '1 script',
} as const;

/** The environment with no hooks. */
export const PLAIN = 'dev0';

/** What is compared, running. */
export interface Stage {
  /** Twin, control, then the product by {@link HOOKS}, then the twin with bare signals, then the product with `fast` calls, then with an output contract. */
  contenders: Contender[];
  client: Client;
  /** Process id of the server. */
  server: number;
  /** The worker of the product with no hooks. */
  watched: Watched;
  stop(): Promise<void>;
}

/** @param profiles a folder into which each worker writes a CPU profile when it ends. */
export async function openStage(profiles?: string): Promise<Stage> {
  const node = profiles ? ['--cpu-prof', `--cpu-prof-dir=${profiles}`] : [];
  return opened(node, async (where, client, connection) => {
    const contenders = await startContenders(where, client, connection);
    const { pid } = contenders.find(({ name }) => name === HOOKS[PLAIN]) as Contender;
    return {
      contenders,
      client,
      server: where.server,
      watched: { connection, environment: PLAIN, pid, file: where.late },
    };
  });
}

/** A door with one worker behind it, and the client library beside it. */
export interface DoorStage {
  url: string;
  /** Process id of the door. */
  door: number;
  /** Where the door writes what it keeps, on SIGUSR2. */
  kept: string;
  connection: Connection;
  environment: string;
  stop(): Promise<void>;
}

/** Starts a server, a worker without hooks, and a door. */
export async function openDoorStage(): Promise<DoorStage> {
  return opened([], async (where, _, connection) => {
    await kept(where.ends, startProduct(where, PLAIN, newKeys()));
    const { pid, said } = await kept(where.ends, startDoor(where));
    return { url: said.replace(/^up +/, ''), door: pid, kept: where.late, connection, environment: PLAIN };
  });
}

/** Everything that both stages have, and what is made on it; what was started ends with it. */
async function opened<T>(
  node: string[],
  make: (where: Where, client: Client, connection: Connection) => Promise<T>,
): Promise<T & { stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'ability-bench-'));
  const ends: Where['ends'] = [() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })];
  const stop = async (): Promise<void> => {
    for (const end of ends.reverse()) await end();
  };
  try {
    const { address, pid: server } = await startServer(folder, ends);
    const service = await kept(
      ends,
      start({ script: join(TWIN_BUILD, 'service.js'), args: [], ready: { stream: 'stdout', begins: '{' } }),
    );
    const origin = `http://127.0.0.1:${JSON.parse(service.said).port}`;
    const root = join(folder, 'project');
    cpSync(join(ROOT, 'bench/project'), root, { recursive: true });
    const watch = ['--import', pathToFileURL(join(import.meta.dirname, 'watch-loop.js')).href];
    const late = join(folder, 'late.json');
    const where: Where = { address, server, origin, root, node: [...node, ...watch], late, ends };
    const connection = await kept(ends, connect({ root, project: PROJECT, address }));
    const plain = await kept(ends, TemporalConnection.connect({ address }));
    return { ...(await make(where, new Client({ connection: plain }), connection)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Where {
  address: string;
  /** Process id of the server. */
  server: number;
  /** Of the service. */
  origin: string;
  /** Of the project. */
  root: string;
  node: string[];
  /** Where that worker writes how late its event loop was. */
  late: string;
  ends: (() => Promise<void> | void)[];
}

/** Keeps how to end what was started. */
export async function kept<T extends { stop(): Promise<void> } | { close(): Promise<void> }>(
  ends: (() => Promise<void> | void)[],
  starting: Promise<T>,
): Promise<T> {
  const started = await starting;
  ends.push(() => ('stop' in started ? started.stop() : started.close()));
  return started;
}

/** As users' servers are started: same resolver, same flags, a database on disk; with settings besides, where these are given. */
export async function startServer(
  folder: string,
  ends: (() => Promise<void> | void)[],
  settings: readonly string[] = [],
): Promise<{ address: string; pid: number }> {
  const { path: binary } = await obtainTemporal((text) => process.stderr.write(`${text}\n`));
  const port = await freePort();
  const [uiPort, log] = [await freePort(), join(folder, 'server.log')];
  const child = spawnServer({ binary, port, uiPort, log, database: join(folder, 'temporal.db'), settings });
  ends.push(async () => {
    const mark = child.pid === undefined ? undefined : markOf(child.pid);
    if (mark) await stopProcess(mark, 5000);
  });
  const address = `${LOOPBACK}:${port}`;
  const deadline = Date.now() + CONNECT_MS;
  for (;;) {
    try {
      await (await TemporalConnection.connect({ address, connectTimeout: 1000 })).close();
      return { address, pid: Number(child.pid) };
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}

async function startContenders(where: Where, client: Client, connection: Connection): Promise<Contender[]> {
  const keys = newKeys();
  const workers = new Map<string, Running>();
  for (const environment of Object.keys(HOOKS)) {
    workers.set(environment, await kept(where.ends, startProduct(where, environment, keys)));
  }
  const pidOf = (environment: string): number => (workers.get(environment) as Running).pid;
  // Worker identities and queues are in most events, so both sides have them at the same length.
  const identity = 'w'.repeat(`${pidOf('dev0')}@${hostname()}`.length);
  const length = taskQueueOf(PROJECT, 'dev0', 'cloud').length;
  const twins = [TWIN, 'control'].map(async (name) => {
    const taskQueue = name.padEnd(length, '-');
    const { pid } = await kept(where.ends, startTwin(where, taskQueue, identity));
    return twin(name, pid, client, taskQueue);
  });
  const [first, control] = await Promise.all(twins);
  return [
    first as Contender,
    control as Contender,
    ...Object.entries(HOOKS).map(([environment, name]) => product(name, pidOf(environment), connection, environment)),
    bareTwin(BARE, (first as Contender).pid, client, TWIN.padEnd(length, '-')),
    product('fast', pidOf('dev0'), connection, 'dev0', (scenario) => `fast_${scenario}`),
    product(CONTRACT, pidOf('dev0'), connection, 'dev0', (scenario) => `checked_${scenario}`),
  ];
}

function startProduct(
  { address, origin, root, node, late }: Where,
  environment: string,
  ABILITY_SEAL_KEYS: string,
): Promise<Running> {
  return start({
    script: join(ROOT, 'dist/command/bin.js'),
    args: ['worker', '--env', environment, '--placement', 'cloud'],
    cwd: root,
    env: {
      TEMPORAL_ADDRESS: address,
      BENCH_SERVICE_URL: origin,
      ABILITY_SEAL_KEYS,
      ...(environment === PLAIN && { BENCH_LOOP_FILE: late }),
    },
    node,
    ready: { stream: 'stderr', begins: 'Serving' },
  });
}

function startTwin({ address, origin, node }: Where, taskQueue: string, identity: string): Promise<Running> {
  return start({
    script: join(TWIN_BUILD, 'twin/worker.js'),
    args: ['--task-queue', taskQueue, '--service', origin, '--identity', identity],
    env: { TEMPORAL_ADDRESS: address },
    node,
    ready: { stream: 'stdout', begins: '{"ready"' },
  });
}

function startDoor({ address, origin, root, late }: Where): Promise<Running> {
  return start({
    script: join(ROOT, 'dist/command/bin.js'),
    args: ['serve', '--port', '0', '--env', PLAIN],
    cwd: root,
    env: { TEMPORAL_ADDRESS: address, BENCH_SERVICE_URL: origin, BENCH_HEAP_FILE: late },
    node: ['--expose-gc', '--import', pathToFileURL(join(import.meta.dirname, 'watch-heap.js')).href],
    ready: { stream: 'stdout', begins: 'up ' },
  });
}

function newKeys(): string {
  return `bench:${randomBytes(32).toString('base64url')}`;
}
