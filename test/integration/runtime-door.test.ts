import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { recruitIn } from '../../src/choosing/recruit/recruit.js';
import { RegistryLoader } from '../../src/definitions/load-registry.js';
import { findRuntime } from '../../src/doors/cli/program/project-client.js';
import { pathsOf } from '../../src/server/project-paths.js';
import { readRuntimeFile, writeRuntimeFile } from '../../src/server/runtime/runtime-file.js';
import type { RuntimeDoor } from '../../src/worker/runtime.js';
import { ability } from '../fixtures/called-command.js';
import type { CommandEnd, CommandOptions } from '../fixtures/command-line.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { openDoorOf } from '../fixtures/runtime-door.js';

let project: RunningProject;
let door: RuntimeDoor;

beforeAll(async () => {
  project = await runProject(
    {
      'ability.yaml': projectFile(
        '\n  dev: {}\n  strict: { approve: [destructive], approvers: [alice] }',
        'default_environment: dev',
      ),
      ...workflow('nothing', 'steps: [{ id: one, let: { n: 1 } }]'),
      ...workflow(
        'typed',
        'input_schema: { type: object, properties: { n: { type: integer } }, additionalProperties: false }\nsteps: [{ id: one, let: { n: "${{ input.n }}" } }]\noutput: "${{ steps.one.output.n }}"',
      ),
      ...workflow('broken', 'steps: [{ id: one, let: { n: "${{ input.none.of.these }}" } }]'),
      ...operation('db.drop', 'return input;', { effects: 'destructive' }),
      ...operation('only.people', 'return 1;'),
      'registry/hooks/PreAbilityCall.yaml':
        'hooks: [{ id: no_agents, blocking: true, match: { abilities: [only.people], callers: [agent] }, handler: { expression: { deny_if: "true", reason: No agents } } }]',
    },
    { proves: true },
  );
  door = await openDoorOf(project);
});
afterAll(async () => {
  await door.close();
  await project.stop();
});

/** The link of the built command, whose requests the tests count. */
const LINK = new URL('../../build/operations/over-http/door-link.js', import.meta.url).href;

/** Runs a command, and counts its requests to the runtime. */
async function counted(args: string[], options: CommandOptions): Promise<{ end: CommandEnd; requests: number }> {
  const { DoorLink } = await import(/* @vite-ignore */ LINK);
  const [ask, listen] = [vi.spyOn(DoorLink.prototype, 'ask'), vi.spyOn(DoorLink.prototype, 'listen')];
  try {
    const end = await ability(args, options);
    return { end, requests: ask.mock.calls.length + listen.mock.calls.length };
  } finally {
    ask.mockRestore();
    listen.mockRestore();
  }
}

/** The same command without the runtime. */
const alone = (args: string[], { cwd, env }: CommandOptions) =>
  ability(args, { cwd, env: { ...env, ABILITY_SOCKET: 'off' } });

/** Replaces what differs each time: keys, digests, times and durations. */
function plain({ exitCode, stdout, stderr }: CommandEnd): unknown {
  const text = (from: string): string =>
    from
      .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'RUN')
      .replaceAll(/t-[0-9a-z]{26}/g, 'KEY')
      .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+Z)?|\d\d:\d\d:\d\d/g, 'TIME')
      .replaceAll(/\b\d+(\.\d+)? ?(ms|s|min|h|d)\b( ago)?|\bnow\b/g, 'DURATION')
      .replaceAll(/"duration_ms": \d+/g, '"duration_ms": 0')
      .replaceAll(/[0-9a-f]{8,}/g, 'HEX');
  return { exitCode, stdout: text(stdout), stderr: text(stderr) };
}

describe('the runtime does for a command line what the command itself does', () => {
  test.each<[string[], number, Record<string, string>?]>([
    [['run', 'nothing'], 0],
    [['run', 'nothing', '--json'], 0],
    [['run', 'typed', '--set', 'n=3', '--json', '--intent', 'why not'], 0],
    [['run', 'typed', '--set', 'n=x', '--json'], 2],
    [['run', 'typed', '--input', '{"m": 1}'], 2],
    [['run', 'nothign'], 2],
    [['run', 'nothing', '--env', 'nowhere', '--json'], 2],
    [['run'], 2],
    [['run', 'broken'], 1],
    [['run', 'broken', '--json'], 1],
    [['run', 'only.people'], 4, { CLAUDECODE: '1' }],
    [['run', 'db.drop', '--env', 'strict', '--json'], 5],
    [['run', 'db.drop'], 5, { ABILITY_ENV: 'strict' }],
    [['run', 'nothing', '--detach'], 0],
    [['run', 'nothing', '--detach', '--json'], 0],
    [['run', 'nothing', '--timeout', 'soon'], 2],
    [['run', 'nothing', '--session', 'none', '--json'], 2],
    [['task', 'show', 'no-such-task'], 2],
    [['task', 'list', '--status', 'nope', '--json'], 2],
  ])('ability %j ends with %d', async (args, exit, env = {}) => {
    const options = { cwd: project.root, env };
    const { end, requests } = await counted(args, options);
    expect(plain(end)).toEqual(plain(await alone(args, options)));
    expect(end.exitCode).toBe(exit);
    // What is wrong with the command itself is found without the runtime.
    if (exit !== 2) expect(requests).toBeGreaterThan(0);
  });

  test('a repeated key gives the same task, and each way of reading it gives the same answer', async () => {
    const options = { cwd: project.root, env: { ABILITY_USER: 'zoe', ABILITY_CALLER: 'ci' } };
    const args = ['run', 'nothing', '--key', 'mine', '--json'];
    const done = await ability(args, options);
    expect(JSON.parse(done.stdout)).toMatchObject({ task_key: 'mine', requested_by: { name: 'zoe' } });
    expect((await alone(args, options)).stdout).toBe(done.stdout);
    for (const read of [
      ['task', 'show', 'mine'],
      ['task', 'show', 'mine', '--json'],
      ['task', 'result', 'mine', '--json'],
      ['task', 'get', 'mine', '--json'],
      ['task', 'watch', 'mine'],
      ['why', 'mine', '--json'],
      ['task', 'list', '--json', '--limit', '3'],
    ]) {
      const { end, requests } = await counted(read, options);
      expect([read, requests > 0, plain(end)]).toEqual([read, true, plain(await alone(read, options))]);
    }
    expect((await ability(['task', 'show', 'mine'], options)).stdout).toContain('caller: ci');
  });
});

test('a task that is started over the socket is as one of this process: one execution, with what the definitions say', async () => {
  const options = { cwd: project.root };
  const memoOf = async (run: typeof ability) => {
    const { stdout } = await run(['run', 'nothing', '--json'], options);
    const handle = project.connection.temporal.workflow.getHandle(JSON.parse(stdout).task_key);
    const { memo, taskQueue } = await handle.describe();
    return { memo, taskQueue };
  };
  const own = await memoOf(alone as typeof ability);
  expect(own.memo).toMatchObject({ version: 1 });
  expect(await memoOf(ability)).toEqual(own);
});

test('a task of another project on the server is shown as such, once', async () => {
  const other = await runProject({ ...workflow('theirs', 'steps: [{ id: one, let: { n: 1 } }]') });
  try {
    const { id } = await other.create('theirs');
    const options = { cwd: project.root };
    const { end, requests } = await counted(['task', 'show', id], options);
    expect(requests).toBeGreaterThan(0);
    expect(end.stderr.match(/belongs to/g)).toHaveLength(1);
    expect(plain(end)).toEqual(plain(await alone(['task', 'show', id], options)));
  } finally {
    await other.stop();
  }
});

describe('a runtime is bypassed', () => {
  const found = (env: Record<string, string> = {}) => findRuntime({ cwd: project.root, env, flags: {} });

  test.each([
    ['of another version', { version: '0.0.1' }],
    ['that is stopping', { state: 'stopping' as const }],
    ['of another machine', { boot: 'another', pids: '1' }],
    ['without a socket', { socket: undefined }],
    ['whose socket is another file', { socket: '/etc/hostname' }],
    ['whose socket is missing', { socket: '/nowhere/runtime.sock' }],
  ])('%s', async (_, change) => {
    const paths = pathsOf(project.root);
    const file = readRuntimeFile(paths);
    if (!file) throw new Error('the runtime has no file');
    try {
      writeRuntimeFile(paths, { ...file, ...change } as never);
      expect(found()).toBeUndefined();
    } finally {
      writeRuntimeFile(paths, file);
    }
    expect(found()?.socket).toBe(door.socket);
  });

  test.each([
    ['if another server is configured', { TEMPORAL_ADDRESS: '127.0.0.1:1' }],
    ['if this is configured', { ABILITY_SOCKET: 'off' }],
  ])('%s', (_, env) => {
    expect(found(env as unknown as Record<string, string>)).toBeUndefined();
  });
});

describe('the door behind the socket', () => {
  /** Sends a request over the socket. */
  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    // biome-ignore lint/suspicious/noExplicitAny: what the door answers is what the test looks at
    new Promise<{ status: number | undefined; body: any }>((resolve, reject) => {
      const sent = request(
        {
          socketPath: door.socket as string,
          method,
          path,
          headers: { 'content-type': 'application/json', ...headers },
        },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (piece: string) => {
            text += piece;
          });
          response.on('end', () => resolve({ status: response.statusCode, body: JSON.parse(text) }));
        },
      );
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });

  test('has the routes of `ability serve`, for the user who owns it', async () => {
    const { status, body } = await send('POST', '/v1/runs', { ability: 'typed', input: { n: 2 }, wait: '60s' });
    expect([status, body.output]).toEqual([200, 2]);
    const { userInfo } = await import('node:os');
    expect(body.requested_by).toEqual({ name: userInfo().username, source: 'claimed' });
  });

  test('R-004-01, R-004-13, R-004-14: runs the workflow of a pack that was added in YAML alone after the start, with its capability', async () => {
    const loader = new RegistryLoader(project.root, {});
    const recruited = () => recruitIn(loader.load(), { environment: 'dev', prompt: 'Draw a histogram of it.' });
    expect(recruited()).toMatchObject({ required_capabilities: [], routing_method: 'heuristic_fallback' });
    expect(await send('POST', '/v1/runs', { ability: 'draws', wait: '60s' })).toMatchObject({ status: 404 });
    project.write({
      'registry/capabilities.yaml': 'capabilities: { charting: { description: Draws., keywords: [histogram] } }',
      'registry/packs.yaml':
        'specialists: { charts: { description: Draws., workflow: draws, capabilities: [charting] } }',
      ...workflow('draws', 'steps: [{ id: one, let: { n: 1 } }]\noutput: drawn'),
    });
    expect(recruited()).toEqual({
      specialist_id: 'charts',
      required_capabilities: ['charting'],
      routing_method: 'capability_routing',
    });
    const pack = loader.load().packs.get(recruited().specialist_id)?.value;
    const { status, body } = await send('POST', '/v1/runs', { ability: pack?.workflow, wait: '60s' });
    expect([status, body.output]).toEqual([200, 'drawn']);
  });

  test('declines requests after a change of the name of its project, so that commands bypass it', async () => {
    const text = projectFile('{ dev: {} }');
    const before = (await import('node:fs')).readFileSync(`${project.root}/ability.yaml`, 'utf8');
    try {
      project.write({ 'ability.yaml': text });
      expect(await send('GET', '/v1/tasks')).toMatchObject({ body: { code: 'door.unreachable' } });
    } finally {
      project.write({ 'ability.yaml': before });
    }
  });

  test('accepts decisions only with a token, and no requests from a browser page', async () => {
    const { body } = await send('POST', '/v1/runs', { ability: 'db.drop', environment: 'strict', wait: '60s' });
    const path = `/v1/tasks/${body.task_key}/approvals/${body.waiting.approvals[0]}`;
    expect(await send('POST', path, { decision: 'approve' })).toMatchObject({ status: 401 });
    expect(await send('GET', '/v1/tasks', undefined, { host: 'evil.test' })).toMatchObject({ status: 421 });
    expect(await send('GET', '/v1/tasks', undefined, { 'sec-fetch-site': 'cross-site' })).toMatchObject({
      status: 403,
    });
  });
});
