/** What runs while agents are measured: one server, one model, two workers of the official integration and one of the product. */
import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection as TemporalConnection } from '@temporalio/client';
import { type Connection, connect } from '../../src/client/index.js';
import { taskQueueOf } from '../../src/contracts/names.js';
import { pathsOf } from '../../src/server/project-paths.js';
import { type Running, start } from '../processes.js';
import { kept, startServer } from '../stage.js';

/** Root of the repository, seen from the compiled benchmark. */
const ROOT = join(import.meta.dirname, '../../../..');
const PROJECT = 'agents';
export const ENVIRONMENT = 'dev0';

/** What is compared, running. */
export interface AgentStage {
  client: Client;
  connection: Connection;
  /** Process ids, and the queues of the official ones. */
  official: { pid: number; taskQueue: string };
  control: { pid: number; taskQueue: string };
  product: { pid: number };
  /** Bytes of all files in the store of the project, where the transcripts are. */
  storeBytes(): number;
  stop(): Promise<void>;
}

/** @param settings of the server, as `--dynamic-config-value` has them. */
export async function openAgentStage(settings: readonly string[] = []): Promise<AgentStage> {
  const folder = mkdtempSync(join(tmpdir(), 'ability-bench-agents-'));
  const ends: (() => Promise<void> | void)[] = [() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })];
  const stop = async (): Promise<void> => {
    for (const end of ends.reverse()) await end();
  };
  try {
    const { address } = await startServer(folder, ends, settings);
    const model = await kept(
      ends,
      start({
        script: join(import.meta.dirname, 'model.js'),
        args: [],
        ready: { stream: 'stdout', begins: '{' },
      }),
    );
    const origin = `http://127.0.0.1:${JSON.parse(model.said).port}`;
    const root = join(folder, 'project');
    cpSync(join(ROOT, 'bench/agents/project'), root, { recursive: true });
    const env = {
      TEMPORAL_ADDRESS: address,
      BENCH_SERVICE_URL: origin,
      OPENAI_BASE_URL: `${origin}/v1`,
      OPENAI_API_KEY: 'none',
      ABILITY_SEAL_KEYS: `bench:${randomBytes(32).toString('base64url')}`,
    };
    const product = await kept(
      ends,
      start({
        script: join(ROOT, 'dist/command/bin.js'),
        args: ['worker', '--env', ENVIRONMENT, '--placement', 'cloud'],
        cwd: root,
        env,
        ready: { stream: 'stderr', begins: 'Serving' },
      }),
    );
    // Worker identities and queues are in most events, so both sides have them at the same length.
    const identity = 'w'.repeat(`${product.pid}@${hostname()}`.length);
    const length = taskQueueOf(PROJECT, ENVIRONMENT, 'cloud').length;
    const startOfficial = async (name: string): Promise<AgentStage['official']> => {
      const taskQueue = name.padEnd(length, '-');
      const worker: Promise<Running> = start({
        script: join(ROOT, 'bench/agents/official/build/worker.js'),
        args: ['--task-queue', taskQueue, '--identity', identity],
        env,
        ready: { stream: 'stdout', begins: '{"ready"' },
      });
      return { pid: (await kept(ends, worker)).pid, taskQueue };
    };
    const official = await startOfficial('official');
    const control = await startOfficial('control');
    const connection = await kept(ends, connect({ root, project: PROJECT, address, env: { ...process.env, ...env } }));
    const plain = await kept(ends, TemporalConnection.connect({ address }));
    const client = new Client({ connection: plain });
    const storeBytes = () => bytesIn(pathsOf(root).store);
    return { client, connection, official, control, product: { pid: product.pid }, storeBytes, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function bytesIn(folder: string): number {
  if (!existsSync(folder)) return 0;
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}
