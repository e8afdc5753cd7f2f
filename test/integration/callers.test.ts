import { createHmac } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  changeInput,
  createSchedule,
  fireSchedule,
  listTasks,
  readRecord,
  runSession,
  runTask,
  scriptedProvider,
  startSession,
} from '../../src/client/index.js';
import type { Caller } from '../../src/contracts/callers.js';
import { CALLERS } from '../../src/contracts/callers.js';
import { taskQueueOf } from '../../src/contracts/names.js';
import type { TaskRecord } from '../../src/contracts/record.js';
import type { TaskResult } from '../../src/contracts/task.js';
import * as library from '../../src/doors/library/index.js';
import { agent, modelProgram, models } from '../fixtures/agents.js';
import { abilityJson } from '../fixtures/called-command.js';
import { openDoor } from '../fixtures/http-door.js';
import { connectAgent, doorOf } from '../fixtures/mcp-agent.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject, type TestTask } from '../fixtures/running-project.js';

let project: RunningProject;

const SCRIPT =
  "process.stdin.resume(); process.stdin.on('end', () => console.log(JSON.stringify({ guard_decision: 'allow' })));";
const hooks = (handler: string) => CALLERS.map((caller) => hook(caller, handler)).join('\n');
const hook = (caller: Caller, handler: string) =>
  `  - { id: for_${caller}, blocking: true, match: { abilities: ["op.*", w.child], callers: [${caller}] }, handler: ${handler} }`;
const SEEN = '{ expression: { warn_if: "true", reason: Seen. } }';
const WHO_ASKS = `
import { appendFileSync, readFileSync } from 'node:fs';
const { task_id, user_id, session_id, module_id } = JSON.parse(readFileSync(0, 'utf8'));
appendFileSync('who.jsonl', JSON.stringify({ task_id, user_id, session_id, module_id }) + '\\n');
console.log(JSON.stringify({ guard_decision: 'allow' }));`;

beforeAll(async () => {
  project = await runProject({
    'ability.yaml': projectFile('{ dev: {} }', models({ calls: '' })),
    '.env': 'FORGE=a secret of the forge\n',
    'registry/hooks/PreAbilityCreate.yaml': [
      'hooks:',
      '  - id: agents_in_sessions',
      '    blocking: true',
      '    match: { abilities: [guarded.op], callers: [agent] }',
      '    handler: { expression: { deny_if: "true", reason: Agents work in a session. } }',
      hooks(SEEN),
    ].join('\n'),
    'registry/hooks/PreAbilityCall.yaml': [
      'hooks:',
      hooks('{ script: { path: hooks/allow.mjs } }'),
      '  - { id: who_asks, blocking: true, match: { abilities: [seen.op] }, handler: { script: { path: hooks/who-asks.mjs } } }',
      ...CALLERS.map((kind) => hook(kind, SEEN).replace('for_', 'kind_').replace('["op.*", w.child]', '[seen.op]')),
    ].join('\n'),
    'hooks/who-asks.mjs': WHO_ASKS,
    ...operation('seen.op', "if (input.fails && !existsSync('mended')) throw new Error('broken'); return 1;", {
      effects: 'write_additive',
      yaml: 'triggers: [{ webhook: forge, secret: "env:FORGE", environment: dev, intent: for a test, input: { n: 1 } }]',
    }),
    ...workflow('w.seen', 'steps: [{ id: outer, call: w.inner, with: {} }]'),
    ...workflow('w.inner', 'steps: [{ id: inner, call: seen.op, with: {} }]'),
    ...modelProgram('calls', "return told.length === 0 ? ask('seen_op') : 'Done.';"),
    ...agent('calling', 'model: calls\noperations: [seen.op]'),
    'registry/hooks/PostAbilityCall.yaml': `hooks:\n${hooks('{ builtin: usage }')}\n`,
    'hooks/allow.mjs': SCRIPT,
    ...operation('op.one', 'return 1'),
    ...operation('guarded.op', 'return 1'),
    ...workflow('w.child', 'input_schema: { type: object }\nsteps: [{ id: one, call: op.one }]'),
    ...workflow(
      'w.parent',
      'input_schema: { type: object }\nsteps: [{ id: own, call: op.one }, { id: down, call: w.child }]',
    ),
  });
  const user = { name: 'ada', source: 'claimed' } as const;
  for (const id of ['s-1', 's-2'])
    await startSession(project.connection, { id, environment: 'dev', scope: 'integration', user });
}, 120_000);
afterAll(() => project?.stop());

/** Which hooks fired where, in order. */
const fired = ({ hooks: answers }: Pick<TaskRecord['result'] & object, 'hooks'>) =>
  answers.map(({ hook_id, phase, path }) => `${phase} ${path}: ${hook_id}`);
const recordOf = (key: string) => readRecord(project.connection, key) as TaskRecord;

describe('one kind of caller per task', () => {
  test.each<[Caller, TestTask]>([
    ['person', { caller: 'person' }],
    ['ci', { caller: 'ci' }],
    ['agent', { caller: 'agent' }],
    ['session', { caller: 'agent', session: 's-1' }],
  ])('a task of %s fires the hooks for it: before creation, before its call and after it', async (caller, more) => {
    if (more.session) await project.startSession(more.session);
    const result = await project.run('op.one', {}, more);
    expect(result).toMatchObject({ status: 'succeeded', caller });
    expect(fired(result)).toEqual([
      `PreAbilityCreate : for_${caller}`,
      `PreAbilityCall run: for_${caller}`,
      `PostAbilityCall run: for_${caller}`,
    ]);
    expect(recordOf(result.task_key as string).caller).toBe(caller);
  });

  test('the calls of a workflow belong to its caller, and the tasks it calls are children', async () => {
    const result = await project.run('w.parent', {}, { caller: 'person' });
    expect(result).toMatchObject({ status: 'succeeded', caller: 'person' });
    expect(fired(result).filter((answer) => !answer.startsWith('PreAbilityCreate'))).toEqual([
      'PreAbilityCall own: for_person',
      'PostAbilityCall own: for_person',
    ]);
    const child = recordOf(`${result.task_key}/down`);
    expect(child).toMatchObject({ caller: 'child', result: { caller: 'child' } });
    expect(fired(child.result as TaskResult)).toEqual([
      'PreAbilityCall : for_child',
      'PreAbilityCall one: for_child',
      'PostAbilityCall one: for_child',
      'PostAbilityCall : for_child',
    ]);
  });

  test.each<[string, TestTask]>([
    ['says nothing of itself', {}],
    ['claims to be a child', { caller: 'child' }],
    ['claims to be a session without naming one', { caller: 'session' }],
    ['says what no caller is', { caller: 'root' as Caller }],
  ])('every guard fires for a client that %s', async (_, more) => {
    const result = await project.run('op.one', {}, more);
    expect(result.caller).toBeUndefined();
    expect(fired(result).filter((answer) => answer.startsWith('PreAbilityCall'))).toEqual(
      CALLERS.map((caller) => `PreAbilityCall run: for_${caller}`),
    );
  });
});

describe('R-000-82: one hook with `match.callers` allows agents only in a session, and CI directly', () => {
  const denied = { code: 'guard.denied', details: { hook_id: 'agents_in_sessions' } };

  test.each<[string, TestTask]>([
    ['an agent', { caller: 'agent' }],
    ['a client that says nothing of itself', {}],
    ['an agent that runs directly', { caller: 'agent', direct: true }],
  ])('%s is refused', async (_, more) => {
    await expect(project.run('guarded.op', {}, more)).rejects.toMatchObject(denied);
  });

  test.each<[string, TestTask]>([
    ['an agent in a session', { caller: 'agent', session: 's-2' }],
    ['CI, directly', { caller: 'ci', direct: true }],
    ['a person', { caller: 'person' }],
  ])('%s is allowed', async (_, more) => {
    if (more.session) await project.startSession(more.session);
    expect((await project.run('guarded.op', {}, more)).status).toBe('succeeded');
  });
});

test('a task whose input was changed by another kind of caller has no known caller, so every guard fires', async () => {
  const { id } = await project.create('op.one', { n: 1 }, { caller: 'person', run: false });
  const by = { name: 'ada', source: 'claimed' } as const;
  await changeInput(project.connection, id, { set: { n: 2 }, unset: [], by, caller: 'person' });
  await changeInput(project.connection, id, { set: { n: 3 }, unset: [], by, caller: 'agent' });
  await runTask(project.connection, id);
  const { result } = (await project.wait(id)) as { result: TaskResult };
  expect(result.caller).toBeUndefined();
  expect(fired(result)).toContain('PreAbilityCall run: for_agent');
});

test('R-002-27, R-002-63: a usage log that cannot be written breaks no call', async () => {
  const file = join(project.root, '.system', 'usage.jsonl');
  rmSync(file, { recursive: true, force: true });
  mkdirSync(file);
  const result = await project.run('op.one', {}, { caller: 'person' });
  expect(result).toMatchObject({ status: 'succeeded', output: 1 });
  expect(result.hooks.at(-1)).toMatchObject({ phase: 'PostAbilityCall', status: 'error', decision: 'allow' });
  expect(result.warnings.join()).toContain('The hook for_person failed');
  rmSync(file, { recursive: true });
});

describe('a guard sees the same caller at every door', () => {
  const SESSION = 's-doors';
  const SCOPE = 'modules/users';
  const INTENT = 'for a test';
  const USER = { name: 'ada', source: 'claimed' } as const;
  const FULL = { user_id: 'ada', session_id: SESSION, module_id: SCOPE, kind: ['session'], intent: INTENT };
  const env = { ABILITY_USER: 'ada', ABILITY_CALLER: 'agent' };
  const cli = async (args: string[], more: Record<string, string> = env): Promise<string> => {
    const at = ['--address', project.connection.address];
    return (await abilityJson([...args, ...at], { cwd: project.root, env: more })).json.task_key;
  };
  const named = ['--session', SESSION, '--scope', SCOPE, '--intent', INTENT];
  const wanted = { ability: 'seen.op', environment: 'dev', session: SESSION, scope: SCOPE, intent: INTENT };
  const given = { user: USER, caller: 'agent', session: SESSION, scope: SCOPE, intent: INTENT } as const;
  const withDoor = async <T>(use: (door: Awaited<ReturnType<typeof openDoor>>) => Promise<T>): Promise<T> => {
    const door = await openDoor(project.connection, { scope: SCOPE });
    return use(door).finally(() => door.close());
  };
  /** The newest task that a caller started, once it has ended. */
  const newestOf = async (requester: string, ability = 'seen.op'): Promise<string> => {
    const find = async () =>
      (await listTasks(project.connection, { ability, limit: 50 })).find((task) => task.requested_by === requester);
    await expect.poll(find, { timeout: 20_000 }).toBeDefined();
    return String((await find())?.task_key);
  };
  const failed = (): Promise<string> => cli(['run', 'seen.op', '--set', 'fails=true', ...named]);

  const doors: [string, () => Promise<string>, Partial<typeof FULL>?][] = [
    ['the command line', () => cli(['run', 'seen.op', ...named])],
    [
      'the library',
      async () =>
        (
          (await library.run(await libraryConnection(), wanted, {
            user: USER.name,
            caller: 'agent',
          })) as library.NewTask
        ).task_key,
    ],
    [
      'HTTP',
      () =>
        withDoor(async (door) => {
          const token = door.token('ada', ['run'], { agent: 'probe' });
          const body = { ability: 'seen.op', environment: 'dev', session: SESSION, scope: SCOPE, intent: INTENT };
          return (await door.call('POST', '/v1/runs', { token, body })).body.task_key;
        }),
    ],
    [
      'MCP',
      async () => {
        const probe = await connectAgent(doorOf(project, { scope: SCOPE }), { session: SESSION });
        await probe.call('ability_run', { id: 'seen.op', intent: INTENT });
        await probe.close();
        return newestOf('ada');
      },
    ],
    [
      '`task retry`',
      async () => {
        const first = await failed();
        project.write({ mended: '' });
        return cli(['task', 'retry', first]);
      },
    ],
    [
      'a call of another task',
      async () => `${(await project.run('w.seen', {}, given)).task_key}/outer`,
      { kind: ['child'] },
    ],
    ['a model that calls', async () => String((await project.run('calling', { request: 'go' }, given)).task_key)],
    [
      'an agent that plans',
      async () => {
        const plans = [{ plan: [{ id: 'one', ability_id: 'seen.op', input: {} }] }, { plan: [], answer: 'Done.' }];
        const { tasks } = await runSession(project.connection, {
          ...{
            prompt: INTENT,
            environment: 'dev',
            scope: SCOPE,
            user: USER,
            session: SESSION,
            maxTurns: 3,
            approvalMs: 0,
          },
          abilities: [{ id: 'seen.op', summary: 'Seen.', effects: 'read', input_schema: {} }],
          provider: scriptedProvider(() => plans.shift() as never),
        });
        return String(tasks[0]?.task_key);
      },
    ],
    [
      'any Temporal client',
      async () => {
        const { temporal, project: name } = project.connection;
        const options = { user: { name: 'ada' }, caller: 'agent', session: SESSION, scope: SCOPE, intent: INTENT };
        const workflowId = `raw-${process.pid}`;
        await temporal.workflow.start('seen.op', {
          workflowId,
          taskQueue: taskQueueOf(name, 'dev', 'local'),
          args: [{}, options],
        });
        return workflowId;
      },
    ],
    [
      'a schedule',
      async () => {
        const spec = {
          id: 'seen',
          ability: 'seen.op',
          environment: 'dev',
          input: {},
          cron: '0 0 1 1 *',
          timezone: 'UTC',
        };
        await createSchedule(project.connection, {
          ...spec,
          overlap: 'skip',
          jitter_ms: 0,
          catch_up_ms: 60_000,
          intent: INTENT,
        });
        await fireSchedule(project.connection, 'seen');
        return newestOf('schedule:seen');
      },
      { user_id: 'schedule:seen', kind: ['ci'], session_id: null as never, module_id: null as never },
    ],
    [
      'a webhook',
      () =>
        withDoor(async (door) => {
          const body = '{}';
          const sign = createHmac('sha256', 'a secret of the forge').update(body).digest('hex');
          const headers = {
            'content-type': 'application/json',
            'x-github-event': 'push',
            'x-github-delivery': 'd-1',
            'x-hub-signature-256': `sha256=${sign}`,
          };
          const answer = await fetch(`${door.url}/v1/webhooks/forge`, { method: 'POST', body, headers });
          return ((await answer.json()) as { task_key: string }).task_key;
        }),
      { user_id: 'webhook:forge', kind: ['ci'], session_id: null as never, module_id: null as never },
    ],
  ];
  const libraryConnection = () =>
    library.connect({ root: project.root, env: { ...process.env, TEMPORAL_ADDRESS: project.connection.address } });

  beforeAll(async () => {
    await startSession(project.connection, { id: SESSION, environment: 'dev', scope: SCOPE, user: USER });
  });

  test.each(doors)('%s', async (_, start, differs = {}) => {
    const key = await start();
    await project.wait(key);
    const record = recordOf(key);
    const lines = readFileSync(join(project.root, 'who.jsonl'), 'utf8').trim().split('\n');
    const { task_id: __, ...seen } = lines.map((line) => JSON.parse(line)).findLast(({ task_id }) => task_id === key);
    const kind = fired(record.result as TaskResult).filter(
      (answer) => answer.startsWith('PreAbilityCall') && !answer.endsWith('who_asks'),
    );
    expect({ ...seen, intent: record.intent, kind: kind.map((answer) => answer.replace(/.*kind_/, '')) }).toEqual({
      ...FULL,
      ...differs,
    });
  });
});
