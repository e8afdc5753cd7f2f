import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { cancelTask, retryTask, viewTask } from '../../src/client/index.js';
import { agent, modelProgram, models } from '../fixtures/agents.js';
import { retryBy } from '../fixtures/caller.js';
import { LONG } from '../fixtures/extent.js';
import { type Flows, startFlows } from '../fixtures/flows.js';
import { projectFile } from '../fixtures/project-folder.js';
import { TEST_KEYS } from '../fixtures/running-project.js';
import { config, mcpAbility } from '../fixtures/servers/definitions.js';
import { MCP_PROGRAMS, type McpHttpServer, startStatefulMcpHttp } from '../fixtures/servers/mcp-http-server.js';

let flows: Flows;
let http: McpHttpServer;
let stateless: McpHttpServer;

const SERVERS = ['local', 'remote'] as const;
/** A call is given up after a minute. */
const PATIENT = { ...LONG, timeout: 180_000 };
const LOST = { status: 'failed', error: { code: 'mcp.session_lost' } };
const inProject = (name: string): string => join(flows.project.root, name);
/** What a server noted of its sessions: their ids, or for calls the id and what the session kept. */
const noted = (event: 'begun' | 'called' | 'ended', server: string): string[] =>
  existsSync(inProject(server))
    ? readFileSync(inProject(server), 'utf8')
        .split('\n')
        .filter((line) => line.startsWith(event))
        .map((line) => line.slice(event.length + 1))
    : [];
const newest = (server: string): { id: string; kept: string } => {
  const [id = '', kept = ''] = noted('called', server).at(-1)?.split(' ') ?? [];
  return { id, kept };
};
const isEnded = async (server: string, ...ids: string[]): Promise<void> =>
  expect.poll(() => noted('ended', server), { timeout: 10_000 }).toEqual(expect.arrayContaining(ids));
const keep = (server: string, text: string): string => `id: ${text}, call: ${server}.keep, with: { text: ${text} }`;
const look = (server: string): string => `id: look, call: ${server}.look, with: {}`;
const WAIT = 'id: waits, wait: { signal: go }';
/** Keeps two texts, then lets another agent do the same if it may. */
const KEEPS = `
  if (told.length < 2) return ask(names.find((name) => name.endsWith('_keep')), { text: 'by' + told.length });
  const inner = names.find((name) => name.endsWith('_inner'));
  return inner && told.length < 3 ? ask(inner, { request: 'Keep.' }) : 'Done.';`;

/** Begins a task, and waits until it has opened its session. */
async function begin(server: string, ...steps: string[]): Promise<{ id: string; session: string }> {
  const before = noted('called', server).length;
  const yaml = `steps:\n${steps.map((step) => `  - { ${step} }`).join('\n')}`;
  const { id } = await flows.project.create(flows.define(yaml));
  await expect.poll(() => noted('called', server).length, { timeout: 20_000 }).toBeGreaterThan(before);
  await expect
    .poll(async () => (await viewTask(flows.project.connection, id)).view?.progress.waits?.status, { timeout: 20_000 })
    .toBe('waiting');
  return { id, session: newest(server).id };
}
const handle = (id: string) => flows.project.connection.temporal.workflow.getHandle(id);
const ended = async (id: string, timeoutMs = 60_000) => {
  const end = await flows.project.wait(id, { timeoutMs });
  if (end.kind !== 'ended') throw new Error(end.kind);
  return end.result;
};
async function goOn(id: string, timeoutMs = 60_000) {
  await handle(id).signal('go');
  return ended(id, timeoutMs);
}

beforeAll(async () => {
  flows = await startFlows({
    'ability.yaml': projectFile('{ dev: {} }', models({ keeps: '' })),
    ...modelProgram('keeps', KEEPS),
    ...agent('local_inner', 'model: keeps\noperations: [local.keep]'),
    ...agent('remote_inner', 'model: keeps\noperations: [remote.keep]'),
  });
  http = await startStatefulMcpHttp(inProject('remote'));
  stateless = await startStatefulMcpHttp(inProject('stateless'), { STATELESS: '1' });
  const local = (name: string) => ({ command: process.execPath, args: [MCP_PROGRAMS.stateful, inProject(name)] });
  flows.project.write(
    config('servers', {
      mcp_servers: {
        local: { ...local('local'), session: 'task' },
        common: { ...local('common'), session: 'shared' },
        remote: { url: http.url, session: 'task' },
        stateless: { url: stateless.url, session: 'task' },
      },
    }),
  );
  for (const server of [...SERVERS, 'common', 'stateless']) {
    for (const [tool, effects] of Object.entries({ keep: 'write_additive', look: 'read' })) {
      flows.project.write(mcpAbility(`${server}.${tool}`, { server, tool, output: 'json' }, { more: { effects } }));
    }
  }
});
afterAll(async () => {
  await flows.project.stop();
  await http.kill();
  await stateless.kill();
});

describe.each(SERVERS)('a %s server with `session: task`', (server) => {
  test('has a session for each of two tasks at once, with undo, finally and called abilities, which ends with it', async () => {
    const child = flows.define(`steps: [{ ${keep(server, 'inner')} }]\noutput: "\${{ steps.inner.output }}"`);
    const define = (name: string): string =>
      flows.define(`
steps:
  - { ${keep(server, name)}, undo: { call: ${server}.keep, with: { text: undone } } }
  - { id: pause, call: util.slow, with: { ms: 300 } }
  - { id: called, call: ${child}, with: {} }
  - { id: both, parallel: { x: { call: ${server}.look, with: {} }, y: { call: ${server}.look, with: {} } } }
  - { id: bad, fail: { code: no_luck, message: no } }
finally:
  - { ${look(server)} }`);
    const before = noted('begun', server).length;
    const results = await Promise.all([flows.project.run(define('one')), flows.project.run(define('two'))]);
    expect(results).toMatchObject([{ error: { code: 'no_luck' } }, { error: { code: 'no_luck' } }]);
    const last = noted('called', server).filter((line) => line.includes(',undone'));
    const part = (at: 0 | 1): string[] => last.map((line) => line.split(' ')[at] as string).sort();
    expect(part(1)).toEqual(['one,inner,undone', 'one,inner,undone', 'two,inner,undone', 'two,inner,undone']);
    expect(new Set(part(0)).size).toBe(2);
    await isEnded(server, ...part(0));
    // A further one lists the tools while tasks are planned.
    expect(noted('begun', server).length - before).toBeLessThanOrEqual(3);
  });

  test('has the same session for an agent and those that it calls', LONG, async () => {
    flows.project.write(agent(`${server}_outer`, `model: keeps\noperations: [${server}.keep, ${server}_inner]`));
    expect(await flows.project.run(`${server}_outer`, { request: 'Keep.' })).toMatchObject({ status: 'succeeded' });
    expect(newest(server).kept).toBe('by0,by1,by0,by1');
  });

  test('that was killed between two steps loses the session by name, and the call is not made', async () => {
    const { id, session } = await begin(server, keep(server, 'kept'), WAIT, look(server));
    const before = noted('begun', server).length;
    if (server === 'local') process.kill(Number(session), 'SIGKILL');
    else {
      await http.kill();
      http = await startStatefulMcpHttp(inProject('remote'), {}, http.port);
    }
    expect(await goOn(id)).toMatchObject({ ...LOST, steps: [{}, {}, { path: 'look', status: 'failed', attempts: 1 }] });
    expect(newest(server)).toEqual({ id: session, kept: 'kept' });
    expect(noted('begun', server)).toHaveLength(before);
  });
});

test.each([
  ['is cancelled', 'local', (id: string) => cancelTask(flows.project.connection, id)],
  ['is terminated', 'remote', (id: string) => handle(id).terminate()],
  ['loses its worker', 'local', () => flows.project.restartWorkers()],
  ['loses its worker', 'remote', () => flows.project.restartWorkers()],
])('the end of a task that %s ends its session (%s)', async (_, server, end) => {
  const { id, session } = await begin(server, keep(server, 'kept'), WAIT, look(server));
  await end(id);
  await isEnded(server, session);
  await handle(id)
    .terminate()
    .catch(() => {});
});

test('a retry that reuses results of the session does not go on in another one', LONG, async () => {
  const yaml = `steps: [{ ${keep('local', 'kept')} }, { id: bad, fail: { code: no_luck, message: no } }, { ${look('local')} }]`;
  const id = flows.define(yaml);
  const { task_key: first } = await flows.project.run(id);
  flows.project.write({
    [`registry/high-level/${id}.yaml`]: readFileSync(inProject(`registry/high-level/${id}.yaml`), 'utf8').replace(
      /\{ id: bad.*?\} \}, /,
      '',
    ),
  });
  const retry = (task: string | null, from?: string) =>
    retryTask(flows.project.connection, task as string, { ...retryBy(), run: true, from });
  const lost = await ended((await retry(first)).id);
  expect(lost).toMatchObject({ ...LOST, steps: [{ status: 'succeeded' }, { path: 'look', status: 'failed' }] });
  expect(lost.error?.suggestion).toContain(`ability task retry ${lost.task_key} --from kept`);
  expect(await ended((await retry(lost.task_key, 'kept')).id)).toMatchObject({ status: 'succeeded' });
  expect(newest('local').kept).toBe('kept');
});

test('an HTTP server that opens no session is refused by name, and not called', async () => {
  expect(await flows.project.run('stateless.keep', { text: 'x' })).toMatchObject({
    ...{ status: 'failed', error: { code: 'mcp.no_session', suggestion: expect.stringContaining('session: shared') } },
  });
  expect(noted('called', 'stateless')).toEqual([]);
});

test('a server with `session: shared` is shared by all tasks', async () => {
  await flows.project.run('common.keep', { text: 'one' });
  await flows.project.run('common.keep', { text: 'two' });
  expect(newest('common').kept).toBe('one,two');
  expect(noted('begun', 'common')).toHaveLength(1);
});

test('a worker that is killed loses the session by name, also where another one goes on', PATIENT, async () => {
  const { root, connection } = flows.project;
  await flows.project.stopWorkers();
  const program = fileURLToPath(new URL('../fixtures/plain-worker.mjs', import.meta.url));
  const env = {
    ...process.env,
    WORKER_ROOT: root,
    WORKER_PROJECT: connection.project,
    WORKER_ADDRESS: inject('temporal').address,
    ABILITY_SEAL_KEYS: TEST_KEYS,
  };
  const worker = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(worker.stdout, 'data');
  const handled = `${look('remote')}, on_error: [{ errors: [mcp], output: 0 }]`;
  const { id, session } = await begin('remote', keep('remote', 'kept'), WAIT, handled, keep('remote', 'again'));
  worker.kill('SIGKILL');
  await flows.project.restartWorkers();
  const before = noted('begun', 'remote').length;
  expect(await goOn(id, 110_000)).toMatchObject({ ...LOST, error: { code: 'mcp.session_lost', step: 'again' } });
  expect(newest('remote')).toEqual({ id: session, kept: 'kept' });
  expect(noted('begun', 'remote')).toHaveLength(before);
});
