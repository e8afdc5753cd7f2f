/** Where tasks live while processes die: in the runtime of a project, or on a server that is run separately. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Connection, connect } from '../../src/client/index.js';
import type { RuntimeFile } from '../../src/contracts/runtime.js';
import { loadRegistry } from '../../src/definitions/load-registry.js';
import { isAlive, markOf } from '../../src/server/processes/processes.js';
import { freePort } from '../../src/server/temporal/ports.js';
import { ability, start } from '../fixtures/command-line.js';
import { makeProject, type ProjectFiles, type ProjectFolder } from '../fixtures/project-folder.js';
import { startTemporal, type TestServer } from '../fixtures/temporal-server.js';
import { pause } from './extent.js';
import type { Site } from './storm.js';
import { command, type User } from './user.js';

/** A site that can be stopped. */
export type OpenSite = Site & { stop(): Promise<void> };

/** A project with its own runtime. A command that comes after a kill starts it again. */
export async function openOwnRuntime(files: ProjectFiles): Promise<OpenSite> {
  const folder = makeProject(files);
  const user: User = { cwd: folder.root, env: {}, met: new Map(), hung: [] };
  const runtime = (): number[] | undefined => {
    const file = readRuntime(folder);
    return file && isAlive(file) ? [file.pid] : undefined;
  };
  const server = (): number[] | undefined => {
    const mark = readRuntime(folder)?.server;
    return mark && isAlive(mark) ? [mark.pid] : undefined;
  };
  return {
    name: 'own',
    user,
    victims: { runtime, server, 'runtime and server': () => allOf(runtime(), server()) },
    async revive() {
      while ((await command(user, ['task', 'list', '--limit', '1'])).exitCode !== 0) await pause(100);
    },
    openConnection: () => openConnection(folder, String(readRuntime(folder)?.address)),
    async stop() {
      await ability(['down'], { cwd: folder.root });
      folder.remove();
    },
  };
}

/** A project with a worker on a Temporal with a database in a file; both are started again when they end. */
export async function openRemoteWorker(files: ProjectFiles): Promise<OpenSite> {
  const folder = makeProject(files);
  const data = mkdtempSync(join(tmpdir(), 'ability-test-data-'));
  const where = { database: join(data, 'temporal.db'), port: await freePort(), uiPort: await freePort() };
  let temporal: TestServer = await startTemporal(where);
  const worker = superviseWorker(folder, temporal.address);
  const server = (): number[] | undefined => (markOf(temporal.pid) ? [temporal.pid] : undefined);
  return {
    name: 'remote',
    user: worker.user,
    victims: {
      worker: worker.pids,
      'remote server': server,
      'worker and server': () => allOf(worker.pids(), server()),
    },
    revive: inTurn(async () => {
      while (!(server() && worker.isServing())) {
        if (server()) await pause(50);
        else temporal = await startTemporal(where);
      }
    }),
    openConnection: () => openConnection(folder, temporal.address),
    async stop() {
      await worker.stop();
      await temporal.stop();
      folder.remove();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** A worker that is started again whenever it ends, as a supervisor does. */
export interface SupervisedWorker {
  /** A user of the same Temporal from the same project. */
  user: User;
  pids(): number[] | undefined;
  isServing(): boolean;
  stop(): Promise<void>;
}

/** Starts the worker of a project, and starts it again whenever it ends. */
export function superviseWorker(
  folder: ProjectFolder,
  address: string,
  more: Record<string, string> = {},
): SupervisedWorker {
  const keys = `storm:${randomBytes(32).toString('base64url')}`;
  const env = { TEMPORAL_ADDRESS: address, ABILITY_SEAL_KEYS: keys, ...more };
  const user: User = { cwd: folder.root, env, met: new Map(), hung: [] };
  let current: ReturnType<typeof start> | undefined;
  let isServing = false;
  let isStopping = false;
  const supervise = async (): Promise<void> => {
    while (!isStopping) {
      const worker = start(['worker'], { cwd: folder.root, env });
      current = worker;
      worker.stderr?.on('data', (chunk: Buffer) => {
        if (String(chunk).includes('Serving')) isServing = true;
      });
      await once(worker, 'exit');
      isServing = false;
      current = undefined;
      await pause(200);
    }
  };
  const supervised = supervise();
  return {
    user,
    pids: () => (current?.pid === undefined ? undefined : [current.pid]),
    isServing: () => isServing,
    async stop() {
      isStopping = true;
      current?.kill('SIGKILL');
      await supervised;
    },
  };
}

/** A connection of the API, to read the histories. */
export async function openConnection(
  { root }: ProjectFolder,
  address: string,
  namespace = 'default',
): Promise<Connection> {
  return connect({ root, project: loadRegistry(root).project.project, address, namespace });
}

/** All of them, or undefined while one group is not alive. */
export function allOf(...groups: (number[] | undefined)[]): number[] | undefined {
  return groups.every((group) => group !== undefined) ? groups.flat() : undefined;
}

/** A second call while the action is running waits for that same action. */
export function inTurn(action: () => Promise<void>): () => Promise<void> {
  let underWay: Promise<void> | undefined;
  return () => {
    underWay ??= action().finally(() => (underWay = undefined));
    return underWay;
  };
}

function readRuntime({ root }: ProjectFolder): RuntimeFile | undefined {
  try {
    return JSON.parse(readFileSync(join(root, '.system/runtime.json'), 'utf8')) as RuntimeFile;
  } catch {
    return undefined;
  }
}
