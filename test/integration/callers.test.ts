import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeInput, readRecord, runTask, startSession } from '../../src/client/index.js';
import type { Caller } from '../../src/contracts/callers.js';
import { CALLERS } from '../../src/contracts/callers.js';
import type { TaskRecord } from '../../src/contracts/record.js';
import type { TaskResult } from '../../src/contracts/task.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject, type TestTask } from '../fixtures/running-project.js';

let project: RunningProject;

const SCRIPT =
  "process.stdin.resume(); process.stdin.on('end', () => console.log(JSON.stringify({ guard_decision: 'allow' })));";
const hooks = (handler: string) => CALLERS.map((caller) => hook(caller, handler)).join('\n');
const hook = (caller: Caller, handler: string) =>
  `  - { id: for_${caller}, blocking: true, match: { abilities: ["op.*", w.child], callers: [${caller}] }, handler: ${handler} }`;
const SEEN = '{ expression: { warn_if: "true", reason: Seen. } }';

beforeAll(async () => {
  project = await runProject({
    'ability.yaml': projectFile('{ dev: {} }'),
    'registry/hooks/PreAbilityCreate.yaml': [
      'hooks:',
      '  - id: agents_in_sessions',
      '    blocking: true',
      '    match: { abilities: [guarded.op], callers: [agent] }',
      '    handler: { expression: { deny_if: "true", reason: Agents work in a session. } }',
      hooks(SEEN),
    ].join('\n'),
    'registry/hooks/PreAbilityCall.yaml': `hooks:\n${hooks('{ script: { path: hooks/allow.mjs } }')}\n`,
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
