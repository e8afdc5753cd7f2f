import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as client from '../../src/client/index.js';
import { type Connection, connect } from '../../src/client/index.js';
import { AbilityError } from '../../src/contracts/problem.js';
import type { RuntimeDoor } from '../../src/worker/runtime.js';
import { withCaller } from '../fixtures/caller.js';
import { type OpenDoor, openDoor } from '../fixtures/http-door.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject, type TestTask } from '../fixtures/running-project.js';
import { openDoorOf } from '../fixtures/runtime-door.js';

let project: RunningProject;
let door: OpenDoor;
let runtime: RuntimeDoor;
let ways: Record<'temporal' | 'http' | 'socket', Connection>;

beforeAll(async () => {
  project = await runProject(
    {
      'ability.yaml': projectFile(
        '\n  dev: {}\n  strict: { approve: [destructive], approvers: [alice], self_approval: false }',
        'default_environment: dev',
      ),
      ...workflow('nothing', 'steps: [{ id: one, let: { n: 1 } }]'),
      ...workflow(
        'typed',
        'input_schema: { type: object, properties: { n: { type: integer } }, additionalProperties: false }\nsteps: [{ id: one, let: { n: "${{ input.n }}" } }]\noutput: "${{ steps.one.output.n }}"',
      ),
      ...workflow(
        'listens',
        'steps: [{ id: ready, wait: { signal: go, timeout: 10m } }]\noutput: "${{ steps.ready.output }}"',
      ),
      ...workflow('broken', 'steps: [{ id: one, let: { n: "${{ input.none.of.these }}" } }]'),
      ...operation('db.drop', 'return input;', { effects: 'destructive' }),
    },
    { proves: true },
  );
  door = await openDoor(project.connection);
  runtime = await openDoorOf(project);
  ways = {
    temporal: project.connection,
    http: await connect({ address: door.url, token: door.token('tester') }),
    socket: await connect({ address: `unix:${runtime.socket}` }),
  };
});
afterAll(async () => {
  await ways.http.close();
  await ways.socket.close();
  await runtime.close();
  await door.close();
  await project.stop();
});

const USER = { name: 'tester', source: 'claimed' } as const;
const wanted = (ability: string, more: TestTask = {}): client.NewTask =>
  withCaller({ ability, environment: 'dev', input: {}, user: USER, scope: 'integration', run: true, ...more });

/** Replaces what differs between runs: keys, times, digests. */
function plain(value: unknown): unknown {
  const text = JSON.stringify(value, (_, each) => (each === undefined ? null : each)) ?? 'null';
  return JSON.parse(
    text
      .replaceAll(/t-[0-9a-z]{26}/g, 'KEY')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replaceAll(/"duration_ms":\d+/g, '"duration_ms":0')
      .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}(\.\d+)?/g, 'ID')
      .replaceAll(/[0-9a-f]{32,}/g, 'HEX'),
  );
}

/** The result of an action, or the error that it throws, as data. */
async function outcome(action: () => Promise<unknown>): Promise<unknown> {
  try {
    return plain(await action());
  } catch (error) {
    if (error instanceof AbilityError) return { error: plain(error.toProblem()) };
    throw error;
  }
}

type Case = (connection: Connection) => Promise<unknown>;

const runOf = async (connection: Connection, ability: string, more?: TestTask) =>
  (await client.createTask(connection, wanted(ability, more))).id;

/** One table for each way to a project; the expected values are those of Temporal itself. */
const CASES: Record<string, [Case, unknown]> = {
  'a task and its result': [
    async (connection) => {
      const created = await client.createTask(connection, wanted('typed', { input: { n: 3 }, intent: 'to see' }));
      const end = await client.waitForTask(connection, created.id, { timeoutMs: 60_000 });
      return { created, end };
    },
    {
      created: { id: 'KEY', attached: false, warnings: [] },
      end: { kind: 'ended', result: { status: 'succeeded', output: 3, requested_by: USER, intent: 'to see' } },
    },
  ],
  'the key of the same task, and of another task': [
    async (connection) => {
      const key = `k-${Math.random().toString(36).slice(2)}`;
      await client.createTask(connection, wanted('nothing', { key, run: false }));
      const again = await client.createTask(connection, wanted('nothing', { key, run: false }));
      const other = await outcome(() => client.createTask(connection, wanted('typed', { key })));
      return JSON.parse(JSON.stringify({ attached: again.attached, other }).replaceAll(key, 'KEY'));
    },
    { attached: true, other: { error: { code: 'task.key_conflict' } } },
  ],
  'a created task, run later': [
    async (connection) => {
      const key = await runOf(connection, 'nothing', { run: false });
      const { result } = await client.viewTask(connection, key);
      await client.runTask(connection, key);
      return [result.status, (await client.awaitResult(connection, key)).status];
    },
    ['created', 'succeeded'],
  ],
  'a task that fails': [
    async (connection) => client.awaitResult(connection, await runOf(connection, 'broken')),
    { status: 'failed', error: { code: 'expression.failed' } },
  ],
  'a signal, and the events until the end': [
    async (connection) => {
      const key = await runOf(connection, 'listens');
      await client.signalTask(connection, key, 'go', { n: 1 });
      const events = await client.followEvents(connection, key, undefined, new AbortController().signal);
      const types: string[] = [];
      let third: string | undefined;
      for await (const { type, id } of events) {
        types.push(type);
        if (types.length === 2) third = id;
      }
      const rest = await client.followEvents(connection, key, third, new AbortController().signal);
      const behind: string[] = [];
      for await (const { type } of rest) behind.push(type);
      const { output } = await client.awaitResult(connection, key);
      return {
        isComplete: types[0] === 'task.created' && types.at(-1) === 'task.ended',
        left: types.length - behind.length,
        output,
      };
    },
    { isComplete: true, left: 2, output: { n: 1 } },
  ],
  'a cancellation': [
    async (connection) => {
      const key = await runOf(connection, 'listens');
      await client.cancelTask(connection, key);
      const { status } = await client.awaitResult(connection, key);
      return [status, await outcome(() => client.cancelTask(connection, key)).then((end) => codeOf(end))];
    },
    ['cancelled', 'task.closed'],
  ],
  'a wait that ends before the task': [
    async (connection) => {
      const key = await runOf(connection, 'listens');
      const { kind, result } = await client.waitForTask(connection, key, { timeoutMs: 1500 });
      const stop = new AbortController();
      stop.abort();
      const stopped = await client.waitForTask(connection, key, { signal: stop.signal });
      await client.cancelTask(connection, key);
      return [kind, result?.status, stopped.kind];
    },
    ['timeout', 'running', 'aborted'],
  ],
  'a task that waits for people': [
    async (connection) => {
      const key = await runOf(connection, 'db.drop', { environment: 'strict', input: { table: 'users' } });
      const { kind } = await client.waitForTask(connection, key, { approvalMs: 0, timeoutMs: 60_000 });
      const [shown] = await client.readApprovals(connection, key);
      const listed = (await client.listApprovals(connection, 'strict')).some(({ task_key }) => task_key === key);
      const open = (await client.openApprovals(connection, key)).length;
      await client.cancelTask(connection, key);
      return { kind, shown, listed, open };
    },
    {
      kind: 'approval',
      listed: true,
      open: 1,
      shown: { status: 'open', task_ability: 'db.drop', approvers: ['alice'] },
    },
  ],
  'the state of a task': [
    async (connection) => {
      const key = await runOf(connection, 'listens');
      const { source, view, result } = await client.viewOwnTask(connection, key);
      const chain = await client.readChain(connection, key);
      await client.cancelTask(connection, key);
      return { source, names: Object.keys(view ?? {}).sort(), status: result.status, chain };
    },
    { source: 'worker', status: 'running', chain: { retry_of: null, retries: [] } },
  ],
  'a list in pages': [
    async (connection) => {
      const filter = { ability: 'typed', status: ['succeeded' as const], limit: 1 };
      const { tasks } = await client.listTaskPage(connection, filter);
      const all = await client.listTasks(connection, { ability: 'never', limit: 10 });
      return { first: tasks.map(({ ability_id }) => ability_id), all };
    },
    { first: ['typed'], all: [] },
  ],
  'a session': [
    async (connection) => {
      const { session_id, attached } = await client.startSession(connection, {
        environment: 'dev',
        scope: 'integration',
        user: USER,
        idleMs: 60_000,
      });
      const again = await client.startSession(connection, {
        id: session_id,
        environment: 'dev',
        scope: 'integration',
        user: USER,
      });
      const { turn_index } = await client.promptSession(connection, session_id, 'hello', USER);
      const { status } = await client.showSession(connection, session_id);
      const stopped = await client.stopSession(connection, session_id);
      return { attached, again: again.attached, turn_index, status, stopped: stopped.status };
    },
    { attached: false, again: true, status: 'open', stopped: 'stopped' },
  ],
};

/** Refused actions, with the code of each. */
const REFUSALS: Record<string, [Case, string]> = {
  'an unknown ability': [(connection) => client.createTask(connection, wanted('nothign')), 'ability.not_found'],
  'an input of the wrong type': [
    (connection) => client.createTask(connection, wanted('typed', { input: { n: 'x' } })),
    'input.invalid',
  ],
  'a plan other than the current one': [
    (connection) => client.createTask(connection, wanted('nothing', { plan: { plan: 'a'.repeat(64) } })),
    'plan.changed',
  ],
  'an invalid key': [
    (connection) => client.createTask(connection, wanted('nothing', { key: 'a b' })),
    'task.key_invalid',
  ],
  'an unknown task': [(connection) => client.viewTask(connection, 'none'), 'task.not_found'],
  'a run of an unknown task': [(connection) => client.runTask(connection, 'none'), 'task.not_found'],
  'a signal to an unknown task': [(connection) => client.signalTask(connection, 'none', 'go', null), 'task.not_found'],
  'a reserved signal': [(connection) => client.signalTask(connection, 'none', 'approve', null), 'usage.invalid'],
  'an unknown session': [(connection) => client.showSession(connection, 'none'), 'session.not_found'],
};

function codeOf(end: unknown): unknown {
  return (end as { error?: { code: string } }).error?.code;
}

describe.each(['temporal', 'http', 'socket'] as const)('the client over %s', (way) => {
  test.each(Object.entries(CASES))('%s', async (_, [action, expected]) => {
    expect(await outcome(() => action(ways[way]))).toMatchObject(expected as object);
  });

  test.each(Object.entries(REFUSALS))('refuses %s', async (_, [action, code]) => {
    expect(codeOf(await outcome(() => action(ways[way])))).toBe(code);
  });
});

test.each(['http', 'socket'] as const)(
  'a result and an error over %s equal those of Temporal, field by field',
  async (way) => {
    const key = await runOf(project.connection, 'typed', { input: { n: 5 } });
    const expected = await client.awaitResult(project.connection, key);
    expect(await client.awaitResult(ways[way], key)).toEqual(expected);
    expect(await client.viewTask(ways[way], key)).toEqual(await client.viewTask(project.connection, key));
    for (const [action] of Object.values(REFUSALS)) {
      expect(await outcome(() => action(ways[way]))).toEqual(await outcome(() => action(project.connection)));
    }
  },
);

describe('the caller', () => {
  test('is the owner of the token, which proves a decision', async () => {
    const key = await runOf(ways.http, 'db.drop', { environment: 'strict' });
    await client.waitForTask(ways.http, key, { approvalMs: 0, timeoutMs: 60_000 });
    const alice = await connect({ address: door.url, token: door.token('alice') });
    const by = await outcome(() => client.decide(alice, key, 'approve', { by: 'tester' }));
    expect(codeOf(by)).toBe('door.forbidden');
    expect(await client.decide(alice, key, 'approve', { by: 'alice' })).toMatchObject({
      counted: true,
      status: 'approved',
    });
    await alice.close();
    expect(await client.awaitResult(ways.http, key)).toMatchObject({ status: 'succeeded' });
    const other = await outcome(() =>
      client.createTask(ways.http, wanted('nothing', { user: { ...USER, name: 'bob' } })),
    );
    expect(codeOf(other)).toBe('door.forbidden');
    expect(codeOf(await outcome(() => client.createTask(ways.http, wanted('nothing', { caller: 'agent' }))))).toBe(
      'door.forbidden',
    );
  });

  test('is only a claim over the socket, which cannot decide', async () => {
    const key = await runOf(ways.socket, 'db.drop', {
      environment: 'strict',
      user: { name: 'zoë', source: 'claimed' },
      caller: 'ci',
    });
    await client.waitForTask(ways.socket, key, { approvalMs: 0, timeoutMs: 60_000 });
    const { view } = await client.viewTask(ways.socket, key);
    expect(view).toMatchObject({ requested_by: { name: 'zoë', source: 'claimed' }, caller: 'ci' });
    expect(codeOf(await outcome(() => client.decide(ways.socket, key, 'approve', { by: 'alice' })))).toBe(
      'door.unauthenticated',
    );
    await client.cancelTask(ways.socket, key);
    expect(codeOf(await outcome(() => client.createTask(ways.socket, wanted('nothing', { caller: 'child' }))))).toBe(
      'usage.invalid',
    );
  });
});

describe('what the door has no route for', () => {
  /** Functions of the package that work over HTTP, or contact no server. */
  const WORKS = new Set([
    ...'createTask runTask cancelTask signalTask viewTask viewOwnTask readChain listTaskPage listTasks awaitResult'.split(
      ' ',
    ),
    ...'waitForTask followEvents openApprovals readApprovals listApprovals decide startSession promptSession'.split(
      ' ',
    ),
    ...'showSession stopSession keepingRuntime withProof connect connectWithin'.split(' '),
    // These take no connection.
    ...'checkSpec earlierKeys generateTaskKey hasEnded linesOf newTaskSecret nextKey sharedStore fetchSharedRecord'.split(
      ' ',
    ),
    ...'SharedLogs handleOf readCallLogs fetchCallLogs commandProvider scriptedProvider'.split(' '),
  ]);
  const others = Object.entries(client).filter(([name, value]) => typeof value === 'function' && !WORKS.has(name));

  test.each(others.map(([name]) => name))('%s is refused', async (name) => {
    const call = (client as unknown as Record<string, (...args: unknown[]) => unknown>)[name];
    const given = {
      id: 'x',
      environment: 'dev',
      by: USER,
      purge: false,
      input: {},
      user: USER,
      what: { environment: 'dev' },
    };
    expect(codeOf(await outcome(async () => call?.(ways.http, given, given, given)))).toBe('feature.unsupported');
  });

  test.each<[string, TestTask]>([
    ['files', { files: { files: [] } as never }],
    ['direct', { direct: true }],
    ['review', { review: () => {} }],
    ['onStall', { onStall: () => {} }],
    ['plan.input', { plan: { plan: 'a'.repeat(64), input: 'b'.repeat(64) } }],
    ['user.agent', { user: { ...USER, agent: 'x' } }],
  ])('a new task accepts no %s', async (_, more) => {
    expect(codeOf(await outcome(() => client.createTask(ways.http, wanted('nothing', more))))).toBe(
      'feature.unsupported',
    );
  });
});

describe('connecting', () => {
  test.each([
    ['localhost:7230', 'usage.invalid'],
    ['http://user:secret@localhost:7230', 'usage.invalid'],
    ['http://localhost:7230/path', 'usage.invalid'],
    ['ftp://localhost', 'usage.invalid'],
    ['unix:/nowhere/at.all', 'door.unreachable'],
  ])('to %s is %s', async (address, code) => {
    expect(codeOf(await outcome(() => connect({ address })))).toBe(code);
  });

  test('with an invalid token is refused', async () => {
    expect(codeOf(await outcome(() => connect({ address: door.url, token: 'none' })))).toBe('door.unauthenticated');
  });

  test.each([
    ['another service', createServer((_, response) => response.end('<html>'))],
    ['a server with unknown errors', createServer((_, response) => response.writeHead(500).end('{"code": 5}'))],
    ['a server that closes the connection', createTcpServer((socket) => socket.destroy())],
  ])('to %s is refused', async (_, server) => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    expect(codeOf(await outcome(() => connect({ address: `http://127.0.0.1:${port}` })))).toBe('door.unreachable');
    server.close();
  });
});
