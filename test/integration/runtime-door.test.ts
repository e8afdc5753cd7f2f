import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recruitIn } from '../../src/choosing/recruit/recruit.js';
import { RegistryLoader } from '../../src/definitions/load-registry.js';
import { pathsOf } from '../../src/server/project-paths.js';
import { readRuntimeFile, writeRuntimeFile } from '../../src/server/runtime/runtime-file.js';
import type { RuntimeDoor } from '../../src/worker/runtime.js';
import { ability } from '../fixtures/called-command.js';
import type { CommandEnd } from '../fixtures/command-line.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { openDoorOf, throughSocket } from '../fixtures/runtime-door.js';

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

/** Replaces what differs each time: keys, digests, times and durations. */
function plain({ exitCode, stdout, stderr }: CommandEnd): unknown {
  const text = (from: string): string =>
    from
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
    const done = (await throughSocket(args, options)) as CommandEnd;
    expect(plain(done)).toEqual(plain(await ability(args, options)));
    expect(done.exitCode).toBe(exit);
  });

  test('a repeated key gives the same task, and each way of reading it gives the same answer', async () => {
    const options = { cwd: project.root, env: { ABILITY_USER: 'zoe', ABILITY_CALLER: 'ci' } };
    const args = ['run', 'nothing', '--key', 'mine', '--json'];
    const done = (await throughSocket(args, options)) as CommandEnd;
    expect(JSON.parse(done.stdout)).toMatchObject({ task_key: 'mine', requested_by: { name: 'zoe' } });
    expect((await ability(args, options)).stdout).toBe(done.stdout);
    for (const read of [
      ['task', 'show', 'mine'],
      ['task', 'show', 'mine', '--json'],
      ['task', 'result', 'mine', '--json'],
      ['task', 'get', 'mine', '--json'],
      ['task', 'watch', 'mine'],
      ['why', 'mine', '--json'],
      ['task', 'list', '--json', '--limit', '3'],
    ]) {
      const viaSocket = (await throughSocket(read, options)) as CommandEnd;
      expect([read, plain(viaSocket)]).toEqual([read, plain(await ability(read, options))]);
    }
    expect((await ability(['task', 'show', 'mine'], options)).stdout).toContain('caller: ci');
  });
});

describe('a runtime is bypassed', () => {
  const nothing = () => throughSocket(['run', 'nothing'], { cwd: project.root });

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
      expect(await nothing()).toBeUndefined();
    } finally {
      writeRuntimeFile(paths, file);
    }
    expect(await nothing()).toMatchObject({ exitCode: 0 });
  });

  test.each([
    ['from another time zone', { TZ: 'Pacific/Kiritimati' }],
    ['if another server is configured', { TEMPORAL_ADDRESS: '127.0.0.1:1' }],
    ['if this is configured', { ABILITY_SOCKET: 'off' }],
  ])('%s', async (_, env) => {
    expect(await throughSocket(['run', 'nothing'], { cwd: project.root, env })).toBeUndefined();
  });

  test('after a change of the name of the project', async () => {
    const text = projectFile('{ dev: {} }');
    const before = (await import('node:fs')).readFileSync(`${project.root}/ability.yaml`, 'utf8');
    try {
      project.write({ 'ability.yaml': text });
      expect(await nothing()).toBeUndefined();
    } finally {
      project.write({ 'ability.yaml': before });
    }
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
