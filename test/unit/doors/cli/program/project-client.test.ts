import { chmodSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import type { Context } from '../../../../../src/doors/cli/program/context.js';
import { withProject } from '../../../../../src/doors/cli/program/project-client.js';
import { pathsOf } from '../../../../../src/server/project-paths.js';
import { writeRuntimeFile } from '../../../../../src/server/runtime/runtime-file.js';
import { newRuntimeFile } from '../../../../../src/worker/runtime-options.js';
import { NOWHERE } from '../../../../fixtures/silent-terminal.js';
import { temporaryProject } from '../../../temporary-project.js';

const { ran } = vi.hoisted(() => ({ ran: [] as unknown[] }));

vi.mock('../../../../../src/doors/cli/program/context.js', async (original) => ({
  ...(await original<object>()),
  withSession: (_: unknown, __: unknown, action: (connection: object) => unknown) => action({ isOwnRuntime: true }),
}));
vi.mock('../../../../../src/operations/operations.js', () => {
  const here = {
    input: z.looseObject({}),
    right: 'run',
    concerns: () => {},
    run: async (_: unknown, __: unknown, input: object) => ran.push(input) && 'here',
  };
  const watch = { ...here, run: async (_: unknown, __: unknown, input: object) => events(input) };
  async function* events(input: object) {
    ran.push(input);
    yield { type: 'end', kind: 'aborted' };
  }
  return { OPERATIONS: { listTasks: here, viewTask: here, promptSession: here, runAbility: here, watchTask: watch } };
});

beforeEach(() => {
  ran.length = 0;
});

type Answer = { status: number; body: string; type?: string };

/** A command in a project whose runtime answers at its socket; undefined: it breaks the connection. */
async function commandWith(answer: (path: string) => Answer | undefined, flags: Context['flags'] = {}) {
  const { root } = temporaryProject({});
  const paths = pathsOf(root);
  mkdirSync(paths.system, { recursive: true });
  const socket = join(paths.system, 'runtime.sock');
  const asked: string[] = [];
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      asked.push(String(request.url));
      const given = answer(String(request.url));
      if (!given) return void response.destroy();
      response.writeHead(given.status, { 'content-type': given.type ?? 'application/json' }).end(given.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  onTestFinished(() => void server.close());
  chmodSync(socket, 0o600);
  const up = newRuntimeFile(paths, { address: '127.0.0.1:1', ui: '', namespace: 'default' }, {});
  writeRuntimeFile(paths, { ...up, state: 'up', project: 'shop', socket });
  const context: Context = { ...NOWHERE, cwd: root, env: { ABILITY_USER: 'ann' }, flags };
  return { context, asked };
}

const problem = (code: string, status: number): Answer => ({ status, body: JSON.stringify({ code, detail: 'no' }) });

test('a command calls the runtime, and this process where the runtime breaks off or has too much to do', async () => {
  const { context, asked } = await commandWith(() => ({ status: 200, body: '"there"' }));
  expect(await withProject(context, (project) => project.call('listTasks', {}))).toBe('there');
  expect(asked).toEqual(['/v1/operations/listTasks']);
  for (const answer of [undefined, problem('door.too_many', 429)]) {
    const busy = await commandWith(() => answer);
    expect(await withProject(busy.context, (project) => project.call('listTasks', {}))).toBe('here');
    expect(busy.asked).toHaveLength(1);
  }
});

test('a refusal of the runtime is the refusal of the command', async () => {
  const { context } = await commandWith(() => problem('task.closed', 409));
  await expect(withProject(context, (project) => project.call('listTasks', {}))).rejects.toMatchObject({
    code: 'task.closed',
  });
  expect(ran).toEqual([]);
});

test('what would act twice if its answer were lost, and what compares definitions here, does not go to the runtime', async () => {
  const prompt = await commandWith(() => ({ status: 200, body: '"there"' }));
  const input = { id: 's', prompt: 'hello' };
  expect(await withProject(prompt.context, (project) => project.call('promptSession', input))).toBe('here');
  const strict = await commandWith(() => ({ status: 200, body: '"there"' }), { strict: true });
  expect(await withProject(strict.context, (project) => project.call('listTasks', {}))).toBe('here');
  expect([...prompt.asked, ...strict.asked]).toEqual([]);
});

test('a watched task goes on in this process with the rest of its time', async () => {
  const state = `data: ${JSON.stringify({ type: 'state', result: {}, now: null })}\n\n`;
  const { context } = await commandWith(() => ({ status: 200, type: 'text/event-stream', body: state }));
  const types = await withProject(context, async (project) => {
    const seen: string[] = [];
    const events = await project.stream('watchTask', { key: 'k', timeout_ms: 60_000 });
    for await (const { type } of events) seen.push(type);
    return seen;
  });
  expect(types).toEqual(['state', 'end']);
  expect(ran).toEqual([{ key: 'k', timeout_ms: expect.any(Number) }]);
  expect((ran[0] as { timeout_ms: number }).timeout_ms).toBeLessThanOrEqual(60_000);
});
