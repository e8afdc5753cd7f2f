import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Connection, connect, createTask, waitForTask } from '../../src/client/index.js';
import { ASK_AGAIN, QUERIES } from '../../src/contracts/names.js';
import { loadRegistry } from '../../src/definitions/load-registry.js';
import { replayHistory } from '../../src/worker/replay/replay-history.js';
import { callerOf } from '../fixtures/caller.js';
import { start } from '../fixtures/command-line.js';
import { LONG } from '../fixtures/extent.js';
import { makeProject, operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { startTemporal, type TestServer } from '../fixtures/temporal-server.js';
import { pause, until } from './extent.js';

const folder = makeProject({
  'ability.yaml': projectFile('{ dev: {} }'),
  ...operation('op.quick', 'return {};'),
  ...workflow(
    'branches',
    `
steps:
  - id: both
    parallel:
      calls: { steps: [{ id: a, wait: { signal: a } }, { id: call, call: op.quick }] }
      waits: { steps: [{ id: b, wait: { signal: b } }, { id: pause, wait: 1s }] }`,
  ),
});
const workers: Awaited<ReturnType<typeof startWorker>>[] = [];
let server: TestServer;
let connection: Connection;
let env: Record<string, string>;

beforeAll(async () => {
  server = await startTemporal();
  const { address } = server;
  connection = await connect({ root: folder.root, project: loadRegistry(folder.root).project.project, address });
  env = { TEMPORAL_ADDRESS: address, ABILITY_SEAL_KEYS: `chaos:${randomBytes(32).toString('base64url')}` };
});
afterAll(async () => {
  for (const worker of workers) worker.kill();
  await connection?.close();
  await server?.stop();
  folder.remove();
});

async function startWorker() {
  const worker = start(['worker'], { cwd: folder.root, env });
  let output = '';
  worker.stderr?.on('data', (chunk: Buffer) => (output += String(chunk)));
  await until('the worker to serve', () => output.includes('Serving') || undefined, 60_000);
  const kill = async (): Promise<void> => {
    worker.kill('SIGKILL');
    await worker;
  };
  return { kill };
}

/**
 * Kills the worker that has the task in its cache while another one is there, and asks about it: the query reaches the other
 * one a second later. What is sent in between, before and after the query, comes with one workflow task.
 */
async function askBetween(key: string): Promise<unknown> {
  const first = await startWorker();
  await createTask(connection, {
    environment: 'dev',
    caller: callerOf(),
    run: true,
    ability: 'branches',
    input: {},
    key,
  });
  const handle = connection.temporal.workflow.getHandle(key);
  const waits = async (): Promise<boolean> => {
    const { raw, historyLength } = await handle.describe();
    return historyLength > 4 && !raw.pendingWorkflowTask;
  };
  await expect.poll(waits, { timeout: 20_000 }).toBe(true);
  workers.push(await startWorker());
  await first.kill();
  const asked = handle.query(QUERIES.task).then(
    () => 'answered',
    (error: Error) => error.message,
  );
  await pause(600);
  await handle.signal('a');
  const answer = await asked;
  await handle.signal('b');
  return answer;
}

test(
  'a query that reaches a new worker before the workflow task does not change what the task does',
  LONG,
  async () => {
    const answers: unknown[] = [];
    // A slow machine may deliver the workflow task first.
    for (let turn = 0; turn < 4 && !String(answers.at(-1)).includes(ASK_AGAIN); turn += 1) {
      const key = `between-${turn}`;
      answers.push(await askBetween(key));
      expect(await waitForTask(connection, key, { timeoutMs: 60_000 })).toMatchObject({
        result: { status: 'succeeded' },
      });
      const history = await connection.temporal.workflow.getHandle(key).fetchHistory();
      expect(await replayHistory({ name: key, workflowId: key, history })).toMatchObject({ status: 'ok' });
      for (const worker of workers.splice(0)) await worker.kill();
    }
    expect(answers.at(-1)).toContain(ASK_AGAIN);
  },
);
