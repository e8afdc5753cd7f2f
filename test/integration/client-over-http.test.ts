import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AbilityError } from '../../src/contracts/problem.js';
import type { Connection } from '../../src/doors/library/index.js';
import * as library from '../../src/doors/library/index.js';
import { allOperations } from '../../src/operations/operations.js';
import type { RuntimeDoor } from '../../src/worker/runtime.js';
import { type OpenDoor, openDoor } from '../fixtures/http-door.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
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
      ...operation('util.echo', 'console.log("logged"); return input;'),
    },
    { proves: true },
  );
  door = await openDoor(project.connection);
  runtime = await openDoorOf(project);
  const { address, namespace } = project.connection;
  const env = {
    ...process.env,
    ...{
      TEMPORAL_ADDRESS: address,
      TEMPORAL_NAMESPACE: namespace,
      TEMPORAL_UI_ADDRESS: project.connection.ui ?? undefined,
    },
    ABILITY_USER: 'tester',
  };
  ways = {
    temporal: await library.connect({ root: project.root, env }),
    http: await library.connect({ address: door.url, token: door.token('tester') }),
    socket: await library.connect({ address: `unix:${runtime.socket}` }),
  };
});
afterAll(async () => {
  for (const connection of Object.values(ways)) await connection.close();
  await runtime.close();
  await door.close();
  await project.stop();
});

const USER = { name: 'tester', source: 'claimed' } as const;
const WHO = { user: 'tester' };

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

const ended = (connection: Connection, key: string) =>
  library.waitForTask(connection, { key }, { approvalMs: 0, timeoutMs: 60_000 });
const runOf = async (connection: Connection, ability: string, more: Partial<library.TaskInput> = {}) => {
  const wanted = { ability, environment: 'dev', input: {}, scope: 'integration', ...more };
  return ((await library.run(connection, wanted, WHO)) as library.NewTask).task_key;
};
const create = (connection: Connection, ability: string, more: Partial<library.TaskInput> = {}) =>
  library.createTask(connection, { ability, environment: 'dev', scope: 'integration', ...more }, WHO);

/** One table for each way to a project; the expected values are those of Temporal itself. */
const CASES: Record<string, [Case, unknown]> = {
  'a task and its result': [
    async (connection) => {
      const key = await runOf(connection, 'typed', { input: { n: 3 }, intent: 'to see' });
      return ended(connection, key);
    },
    {
      kind: 'ended',
      result: { status: 'succeeded', output: 3, requested_by: { name: USER.name }, intent: 'to see' },
    },
  ],
  'the key of the same task, and of another task': [
    async (connection) => {
      const key = `k-${Math.random().toString(36).slice(2)}`;
      const first = await create(connection, 'nothing', { key });
      const again = await create(connection, 'nothing', { key });
      const other = await outcome(() => create(connection, 'typed', { key }));
      return JSON.parse(JSON.stringify({ first, attached: again.attached, other }).replaceAll(key, 'KEY'));
    },
    {
      first: { status: 'available', task_key: 'KEY', attached: false, warnings: [] },
      attached: true,
      other: { error: { code: 'task.key_conflict' } },
    },
  ],
  'a created task, changed and run later': [
    async (connection) => {
      const { task_key: key } = await create(connection, 'typed', { input: { n: 1 } });
      const { status } = await library.viewTask(connection, { key });
      const { fields, input } = await library.changeInput(connection, { key, set: { n: 2 } });
      await library.runTask(connection, { key });
      return { status, fields, input, output: (await library.awaitResult(connection, { key })).output };
    },
    { status: 'created', fields: ['n'], input: { n: 2 }, output: 2 },
  ],
  'a task that fails, its story, and its retry': [
    async (connection) => {
      const key = await runOf(connection, 'broken');
      const { status, error } = await library.awaitResult(connection, { key });
      const story = await library.explainTask(connection, { key });
      const again = (await library.retryTask(connection, { key })) as library.NewTask;
      const { retry_of } = await library.viewTask(connection, { key: again.task_key });
      return { status, error, source: story.source, isRetry: again.task_key === `${key}.r2` && retry_of === key };
    },
    { status: 'failed', error: { code: 'expression.failed' }, source: 'history', isRetry: true },
  ],
  'a signal, and the events until the end': [
    async (connection) => {
      const key = await runOf(connection, 'listens');
      await library.signalTask(connection, { key, name: 'go', payload: { n: 1 } });
      const types: string[] = [];
      let third: string | undefined;
      for await (const { type, id } of await library.followEvents(connection, { key })) {
        types.push(type);
        if (types.length === 2) third = id;
      }
      const behind: string[] = [];
      for await (const { type } of await library.followEvents(connection, { key, after: third })) behind.push(type);
      const { output } = await library.awaitResult(connection, { key });
      const isComplete = types[0] === 'task.created' && types.at(-1) === 'task.ended';
      return { isComplete, left: types.length - behind.length, output };
    },
    { isComplete: true, left: 2, output: { n: 1 } },
  ],
  'a pause, and a cancellation': [
    async (connection) => {
      const key = await runOf(connection, 'listens');
      await library.pauseTask(connection, { key });
      const isPaused = async () => ((await library.viewTask(connection, { key })) as { paused?: boolean }).paused;
      await expect.poll(isPaused).toBe(true);
      await library.resumeTask(connection, { key });
      await library.cancelTask(connection, { key });
      const { status } = await library.awaitResult(connection, { key });
      return [status, codeOf(await outcome(() => library.cancelTask(connection, { key })))];
    },
    ['cancelled', 'task.closed'],
  ],
  'a wait that ends before the task': [
    async (connection) => {
      const key = await runOf(connection, 'listens');
      const { kind, result } = await library.waitForTask(connection, { key }, { timeoutMs: 1500 });
      const stopped = await library.waitForTask(connection, { key }, { signal: AbortSignal.abort() });
      await library.cancelTask(connection, { key });
      return [kind, result?.status, stopped.kind];
    },
    ['timeout', 'running', 'aborted'],
  ],
  'a task that waits for people': [
    async (connection) => {
      const key = await runOf(connection, 'db.drop', { environment: 'strict', input: { table: 'users' } });
      const { kind } = await ended(connection, key);
      const [shown] = await library.readApprovals(connection, { key });
      const open = await library.listApprovals(connection, { environment: 'strict' });
      await library.cancelTask(connection, { key });
      return { kind, shown, isListed: open.some(({ task_key }) => task_key === key) };
    },
    {
      kind: 'approval',
      isListed: true,
      shown: { status: 'open', task_ability: 'db.drop', approvers: ['alice'], last_approved: null },
    },
  ],
  'the state of a task, its logs and its deletion': [
    async (connection) => {
      const key = await runOf(connection, 'util.echo');
      await ended(connection, key);
      const { source, status } = await library.viewTask(connection, { key });
      const lines = await library.readLogs(connection, { key });
      const deleted = await library.deleteTask(connection, { key });
      return { source, status, texts: lines.map(({ text }) => text), deleted: deleted.status };
    },
    { source: 'history', status: 'succeeded', texts: expect.arrayContaining(['logged']), deleted: 'deleted' },
  ],
  'a list in pages': [
    async (connection) => {
      const page = await library.listTasks(connection, { ability: 'typed', status: ['succeeded'], limit: 1 });
      const none = await library.listTasks(connection, { ability: 'never' });
      return { first: page.tasks.map(({ ability_id }) => ability_id), none };
    },
    { first: ['typed'], none: { tasks: [], next_cursor: null } },
  ],
  abilities: [
    async (connection) => {
      const listed = await library.listAbilities(connection);
      const { definition } = await library.describeAbility(connection, { id: 'typed' });
      const plan = await library.planAbility(connection, { id: 'typed', input: { n: 1 } });
      const refused = codeOf(await outcome(() => library.planAbility(connection, { id: 'typed', input: { n: 'x' } })));
      const { mermaid } = await library.drawAbility(connection, { id: 'typed' });
      const { fits } = await library.searchAbilities(connection, { request: 'drop a table' });
      return {
        ids: listed.map(({ id }) => id),
        definition,
        status: plan.status,
        refused,
        isDrawn: mermaid.startsWith('flowchart'),
        fits,
      };
    },
    {
      ids: expect.arrayContaining(['typed', 'db.drop']),
      definition: { id: 'typed' },
      status: 'available',
      refused: 'input.invalid',
      isDrawn: true,
    },
  ],
  'a session': [
    async (connection) => {
      const place = { environment: 'dev', scope: 'integration', idle: '60s' };
      const { session_id: id, attached } = await library.startSession(connection, place, WHO);
      const again = await library.startSession(connection, { ...place, id }, WHO);
      const { turn_index } = await library.promptSession(connection, { id, prompt: 'hello' }, WHO);
      const { status } = await library.showSession(connection, { id });
      const stopped = await library.stopSession(connection, { id });
      return { attached, again: again.attached, turn_index, status, stopped: stopped.status };
    },
    { attached: false, again: true, status: 'open', stopped: 'stopped' },
  ],
  'a schedule': [
    async (connection) => {
      const name = `s-${Math.random().toString(36).slice(2)}`;
      const wanted = { ability: 'nothing', environment: 'dev', name, cron: '0 3 * * *' };
      const { created } = await library.createSchedule(connection, wanted, WHO);
      const again = await library.createSchedule(connection, wanted, WHO);
      await library.pauseSchedule(connection, { name, comment: 'freeze' }, WHO);
      const { paused, note, next } = await library.showSchedule(connection, { name });
      await library.resumeSchedule(connection, { name }, WHO);
      const { schedules } = await library.listSchedules(connection);
      const isListed = schedules.some(({ spec }) => spec.id === name);
      const fired = await library.fireSchedule(connection, { name });
      const { status } = await library.deleteSchedule(connection, { name });
      return { created, again: again.created, paused, note, next, isListed, fired: fired.status, status };
    },
    {
      ...{ created: true, again: false, paused: true, note: 'paused by tester: freeze', next: [] },
      ...{ isListed: true, fired: 'fired', status: 'deleted' },
    },
  ],
};

/** Refused actions, with the code of each. */
const REFUSALS: Record<string, [Case, string]> = {
  'an unknown ability': [(connection) => runOf(connection, 'nothign'), 'ability.not_found'],
  'an input of the wrong type': [(connection) => runOf(connection, 'typed', { input: { n: 'x' } }), 'input.invalid'],
  'a plan other than the current one': [
    (connection) => create(connection, 'nothing', { plan: 'a'.repeat(64) }),
    'plan.changed',
  ],
  'an invalid key': [(connection) => create(connection, 'nothing', { key: 'a b' }), 'task.key_invalid'],
  'a field that there is not': [
    (connection) => library.viewTask(connection, { key: 'x', form: 1 } as never),
    'usage.invalid',
  ],
  'an option that there is not': [
    (connection) => library.viewTask(connection, { key: 'x' }, { persn: 'x' } as never),
    'usage.invalid',
  ],
  'an unknown task': [(connection) => library.viewTask(connection, { key: 'none' }), 'task.not_found'],
  'a run of an unknown task': [(connection) => library.runTask(connection, { key: 'none' }), 'task.not_found'],
  'a signal to an unknown task': [
    (connection) => library.signalTask(connection, { key: 'none', name: 'go' }),
    'task.not_found',
  ],
  'a reserved signal': [
    (connection) => library.signalTask(connection, { key: 'none', name: 'approve' }),
    'usage.invalid',
  ],
  'an unknown session': [(connection) => library.showSession(connection, { id: 'none' }), 'session.not_found'],
  'an unknown schedule': [(connection) => library.showSchedule(connection, { name: 'none' }), 'schedule.not_found'],
};

function codeOf(end: unknown): unknown {
  return (end as { error?: { code: string } }).error?.code;
}

test('each operation is a function of the library', () => {
  const names = allOperations().map(([name]) => (name === 'runAbility' ? 'run' : name));
  expect(names.filter((name) => !Object.keys(library).includes(name))).toEqual([]);
});

describe.each(['temporal', 'http', 'socket'] as const)('the library over %s', (way) => {
  test.each(Object.entries(CASES))('%s', async (_, [action, expected]) => {
    expect(await outcome(() => action(ways[way]))).toMatchObject(expected as object);
  });

  test('says what proved who asked', async () => {
    const { result } = await ended(ways[way], await runOf(ways[way], 'typed', { input: { n: 3 } }));
    expect(result?.requested_by.source).toBe({ temporal: 'claimed', http: 'token', socket: 'claimed' }[way]);
  });

  test.each(Object.entries(REFUSALS))('refuses %s', async (_, [action, code]) => {
    expect(codeOf(await outcome(() => action(ways[way])))).toBe(code);
  });
});

test.each(['http', 'socket'] as const)(
  'a result and an error over %s equal those of Temporal, field by field',
  async (way) => {
    const key = await runOf(ways.temporal, 'typed', { input: { n: 5 } });
    const expected = await library.awaitResult(ways.temporal, { key });
    expect(await library.awaitResult(ways[way], { key })).toEqual(expected);
    for (const read of [library.viewTask, library.readResult, library.explainTask]) {
      expect(await read(ways[way], { key })).toEqual(JSON.parse(JSON.stringify(await read(ways.temporal, { key }))));
    }
    for (const [action] of Object.values(REFUSALS)) {
      expect(await outcome(() => action(ways[way]))).toEqual(await outcome(() => action(ways.temporal)));
    }
  },
);

describe('the caller', () => {
  test('is the owner of the token, which proves a decision', async () => {
    const key = await runOf(ways.http, 'db.drop', { environment: 'strict' });
    await ended(ways.http, key);
    const [{ id: approval = '' } = {}] = await library.readApprovals(ways.http, { key });
    const alice = await library.connect({ address: door.url, token: door.token('alice') });
    const yes = { key, approval, decision: 'approve' } as const;
    expect(codeOf(await outcome(() => library.decide(alice, yes, WHO)))).toBe('door.forbidden');
    expect(await library.decide(alice, yes)).toMatchObject({ counted: true, status: 'approved' });
    await alice.close();
    expect(await library.awaitResult(ways.http, { key })).toMatchObject({ status: 'succeeded' });
    const wanted = { ability: 'nothing', environment: 'dev' };
    for (const options of [{ user: 'bob' }, { caller: 'agent' as const }]) {
      expect(codeOf(await outcome(() => library.createTask(ways.http, wanted, options)))).toBe('door.forbidden');
    }
  });

  test('is only a claim over the socket, which cannot decide', async () => {
    const wanted = { ability: 'db.drop', environment: 'strict' };
    const made = (await library.run(ways.socket, wanted, { user: 'zoë', caller: 'ci' })) as library.NewTask;
    const key = made.task_key;
    await ended(ways.socket, key);
    expect(await library.viewTask(ways.socket, { key })).toMatchObject({
      requested_by: { name: 'zoë', source: 'claimed' },
      caller: 'ci',
    });
    const [{ id: approval = '' } = {}] = await library.readApprovals(ways.socket, { key });
    const yes = { key, approval, decision: 'approve' } as const;
    expect(codeOf(await outcome(() => library.decide(ways.socket, yes, { user: 'alice' })))).toBe(
      'door.unauthenticated',
    );
    await library.cancelTask(ways.socket, { key });
    const asChild = () => library.createTask(ways.socket, wanted, { caller: 'child' });
    expect(codeOf(await outcome(asChild))).toBe('usage.invalid');
  });

  test.each<[string, library.TaskOptions]>([
    ['files', { files: { files: [] } as never }],
    ['onStall', { onStall: () => {} }],
    ['session', { session: 's' }],
    ['token', { token: 't' }],
  ])('gives a door no %s, which only works in reach of Temporal', async (_, options) => {
    const wanted = { ability: 'nothing', environment: 'dev' };
    expect(codeOf(await outcome(() => library.createTask(ways.http, wanted, options)))).toBe('feature.unsupported');
  });
});

describe('connecting', () => {
  test.each([
    ['http://user:secret@localhost:7230', 'usage.invalid'],
    ['http://localhost:7230/path', 'usage.invalid'],
    ['ftp://localhost', 'usage.invalid'],
    ['unix:/nowhere/at.all', 'door.unreachable'],
  ])('to %s is %s', async (address, code) => {
    expect(codeOf(await outcome(() => library.connect({ address })))).toBe(code);
  });

  test('with an invalid token is refused', async () => {
    expect(codeOf(await outcome(() => library.connect({ address: door.url, token: 'none' })))).toBe(
      'door.unauthenticated',
    );
  });

  test.each([
    ['another service', createServer((_, response) => response.end('<html>'))],
    ['a server with unknown errors', createServer((_, response) => response.writeHead(500).end('{"code": 5}'))],
    ['a server that closes the connection', createTcpServer((socket) => socket.destroy())],
  ])('to %s is refused', async (_, server) => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    expect(codeOf(await outcome(() => library.connect({ address: `http://127.0.0.1:${port}` })))).toBe(
      'door.unreachable',
    );
    server.close();
  });
});
