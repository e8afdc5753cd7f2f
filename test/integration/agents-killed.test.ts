import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Connection, connect, createTask, waitForTask } from '../../src/client/index.js';
import { loadRegistry } from '../../src/definitions/load-registry.js';
import { agent, streams } from '../fixtures/agents.js';
import { callerOf } from '../fixtures/caller.js';
import { makeProject, operation, type ProjectFolder, projectFile } from '../fixtures/project-folder.js';
import { TEST_KEYS } from '../fixtures/running-project.js';
import { type ChatEndpoint, type ChatRequest, openChatEndpoint } from '../fixtures/servers/chat-endpoint.js';

/** Waits before its effect while the file `wait` exists, and records that it has begun. */
const SLOW = `appendFileSync("begun", \`\${input.n}\\n\`);
  for (let waited = 0; existsSync("wait") && waited < 600; waited += 1) await sleep(50);
  appendFileSync("effects", \`\${input.n}\\n\`); return { n: input.n };`;

let folder: ProjectFolder;
let endpoint: ChatEndpoint;
let connection: Connection;
let worker: ChildProcess;
let name: string;

beforeAll(async () => {
  endpoint = await openChatEndpoint(streams(() => ({ text: 'fine' })));
  folder = makeProject({
    'ability.yaml': projectFile('{ dev: {} }', 'models: { default: { model: small, timeout: 60s } }\n'),
    ...operation('note.set', SLOW, { effects: 'write_idempotent' }),
    ...operation('note.add', SLOW, { effects: 'write_additive' }),
    ...agent('setter', 'operations: [note.set]'),
    ...agent('adder', 'operations: [note.add]'),
  });
  name = loadRegistry(folder.root).project.project;
  connection = await connect({ root: folder.root, project: name, address: inject('temporal').address });
  await startWorker();
});
afterAll(async () => {
  worker.kill('SIGKILL');
  await connection.close();
  await endpoint.close();
  folder.remove();
});

async function startWorker(): Promise<void> {
  const env = {
    ...process.env,
    WORKER_ROOT: folder.root,
    WORKER_PROJECT: name,
    WORKER_ADDRESS: inject('temporal').address,
    ABILITY_SEAL_KEYS: TEST_KEYS,
    OPENAI_BASE_URL: endpoint.base,
    OPENAI_API_KEY: 'test',
  };
  const program = fileURLToPath(new URL('../fixtures/plain-worker.mjs', import.meta.url));
  worker = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(worker.stdout as NodeJS.ReadableStream, 'data');
}

async function killWorker(): Promise<void> {
  const ended = once(worker, 'exit');
  worker.kill('SIGKILL');
  await ended;
}

const linesOf = (file: string): string[] => {
  const path = join(folder.root, file);
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
};

async function until(what: () => boolean): Promise<void> {
  while (!what()) await new Promise((resolve) => setTimeout(resolve, 25));
}

const create = (ability: string) =>
  createTask(connection, {
    ability,
    environment: 'dev',
    input: { request: 'Note four things.' },
    caller: callerOf(),
    run: true,
  });

/** Requests one call per turn until four are done. */
const noting = (tool: string) =>
  streams(({ body }: ChatRequest) => {
    const count = body.messages.filter(({ role }) => role === 'tool').length;
    return count < 4
      ? { calls: [{ id: `call_${count}`, name: tool, arguments: JSON.stringify({ n: count }) }] }
      : {
          text: JSON.stringify(
            body.messages.filter(({ role }) => role === 'tool').map(({ content }) => JSON.parse(content)),
          ),
        };
  });

describe('an agent whose worker is killed', () => {
  test('continues from its last turn: no call is made twice, and the model learns of each', async () => {
    let requests = 0;
    let wasHeld = false;
    endpoint.behave((response, request) => {
      requests += 1;
      // The second request stays unanswered until its worker is gone.
      if (requests === 2) wasHeld = true;
      else noting('note_set')(response, request);
    });
    const { id } = await create('setter');
    await until(() => wasHeld);
    await killWorker();
    await startWorker();
    await until(() => linesOf('effects').includes('1'));
    writeFileSync(join(folder.root, 'wait'), '');
    await until(() => linesOf('begun').length > linesOf('effects').length);
    await killWorker();
    const begun = linesOf('begun').length;
    await startWorker();
    await until(() => linesOf('begun').length > begun);
    expect(linesOf('effects').length).toBeLessThan(4);
    rmSync(join(folder.root, 'wait'));
    const end = await waitForTask(connection, id, { timeoutMs: 90_000 });
    expect(end).toMatchObject({ kind: 'ended', result: { status: 'succeeded', agent: { turns: 5, calls: 4 } } });
    if (end.kind !== 'ended') return;
    expect(JSON.parse(end.result.output as string)).toEqual(
      [0, 1, 2, 3].map((n) => ({ status: 'succeeded', output: { n } })),
    );
    expect(linesOf('effects')).toEqual(['0', '1', '2', '3']);
  }, 180_000);

  test('in a call that must not be repeated ends as unknown, and calls nothing after it', async () => {
    endpoint.behave(noting('note_add'));
    writeFileSync(join(folder.root, 'wait'), '');
    const [begun, effects] = [linesOf('begun').length, linesOf('effects').length];
    const { id } = await create('adder');
    await until(() => linesOf('begun').length > begun);
    await killWorker();
    await startWorker();
    const end = await waitForTask(connection, id, { timeoutMs: 90_000 });
    expect(end).toMatchObject({ kind: 'ended', result: { status: 'unknown', error: { code: 'outcome.unknown' } } });
    expect([linesOf('begun').length, linesOf('effects').length]).toEqual([begun + 1, effects]);
  }, 180_000);
});
