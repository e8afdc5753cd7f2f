/** A project with one worker process, which is killed and started again. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type Connection, connect, createTask, type NewTask } from '../../src/client/index.js';
import { loadRegistry } from '../../src/definitions/load-registry.js';
import { callerOf } from '../fixtures/caller.js';
import { start } from '../fixtures/command-line.js';
import { makeProject } from '../fixtures/project-folder.js';
import type { EffectService } from './effect-service.js';
import { until } from './extent.js';
import { chaosProject } from './project.js';
import { startProxy, type TemporalProxy } from './temporal-proxy.js';

/** A place for one kill after the other. */
export interface Lane {
  connection: Connection;
  effects: EffectService;
  /** Between the worker and Temporal. */
  proxy: TemporalProxy;
  create(
    wanted: Pick<NewTask, 'ability' | 'input' | 'key'> & Pick<Partial<NewTask>, 'review' | 'leaves'>,
  ): Promise<string>;
  /** Ends the worker as `kill -9` does. Resolves when it is gone. */
  killWorker(): Promise<void>;
  /** Starts a worker; resolves when it serves. */
  startWorker(): Promise<void>;
  stop(): Promise<void>;
}

/** Writes a new project and starts its worker. @param files default: the project of the effects. */
export async function openLane(
  address: string,
  effects: EffectService,
  files = chaosProject(effects.origin),
): Promise<Lane> {
  const folder = makeProject(files);
  const { project } = loadRegistry(folder.root).project;
  const proxy = await startProxy(address);
  const connection = await connect({ root: folder.root, project, address });
  const env = { TEMPORAL_ADDRESS: proxy.address, ABILITY_SEAL_KEYS: `chaos:${randomBytes(32).toString('base64url')}` };
  let worker: ReturnType<typeof start> | undefined;
  const lane: Lane = {
    connection,
    effects,
    proxy,
    async create(wanted) {
      return (await createTask(connection, { environment: 'dev', caller: callerOf(), run: true, ...wanted })).id;
    },
    async killWorker() {
      worker?.kill('SIGKILL');
      await worker;
      worker = undefined;
      // A message that it was about to send must not be sent any more.
      await until('the proxy to miss it', () => proxy.connections() === 0 || undefined);
    },
    async startWorker() {
      const starting = start(['worker', '--placement', 'cloud'], { cwd: folder.root, env });
      worker = starting;
      let output = '';
      let ended = false;
      starting.stderr?.on('data', (chunk: Buffer) => (output += String(chunk)));
      if (starting.stderr) once(starting.stderr, 'end').then(() => (ended = true));
      await until(
        'the worker to serve',
        () => {
          if (ended) throw new Error(`the worker ended: ${output}`);
          return output.includes('Serving') || undefined;
        },
        60_000,
      );
    },
    async stop() {
      await lane.killWorker();
      await connection.close();
      await proxy.stop();
      folder.remove();
    },
  };
  await lane.startWorker();
  return lane;
}
