import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSession, viewTask } from '../../src/client/index.js';
import { taskQueueOf } from '../../src/contracts/names.js';
import type { Continued, TaskOptions } from '../../src/contracts/task.js';
import { nextArguments } from '../../src/rules/tasks/task-arguments.js';
import { startChild, startForeign } from '../fixtures/foreign-workflow.js';
import { genuineStart } from '../fixtures/genuine-start.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

let project: RunningProject;

beforeAll(async () => {
  const write = "appendFileSync(input.file, 'x'); return {};";
  project = await runProject({
    'ability.yaml': projectFile(
      '{ dev: {}, prod: { protected: true, approve: [write_additive], approvers: [alice] } }',
    ),
    'registry/hooks/PreAbilityCall.yaml': `hooks:
  - { id: only_ada, blocking: true, match: { abilities: [op.owned] }, handler: { expression: { deny_if: "user.source != 'proved'", reason: Prove it. } } }
`,
    ...operation('op.write', write, { effects: 'write_additive' }),
    ...operation('op.owned', write, { effects: 'write_additive' }),
    ...workflow(
      'asks',
      'steps: [{ id: ask, approval: { title: Go on? } }, { id: go, call: op.write, with: { file: "${{ input.file }}" } }]',
    ),
  });
  await startSession(project.connection, {
    id: 'of-ada',
    environment: 'dev',
    scope: 'integration',
    user: { name: 'ada', source: 'claimed' },
  });
}, 120_000);
afterAll(() => project.stop());

const fileOf = (key: string) => join(project.root, `file-${key}`);
let count = 0;

interface Claim {
  id?: string;
  ability?: string;
  environment?: string;
  queue?: string;
  options?: unknown;
  continued?: unknown;
}

/** Starts a task as any client of the server can. @returns the code with which it ends; `succeeded` if it does. */
async function endOf({ ability = 'op.write', environment = 'dev', options, continued, ...claim }: Claim) {
  count += 1;
  const { temporal, project: name } = project.connection;
  const { id = `claims-${count}`, queue = taskQueueOf(name, environment, 'local') } = claim;
  const file = fileOf(String(count));
  const args = [{ file }, options, continued];
  const end = await temporal.workflow.execute(ability, { workflowId: id, taskQueue: queue, args }).then(
    ({ status }: { status: string }) => status,
    (error: { cause?: { type?: string } }) => error.cause?.type,
  );
  return { end, ran: existsSync(file) };
}
const refused = (code: string) => ({ end: code, ran: false });

describe('a start by hand runs nothing if it claims', () => {
  test.each<[string, unknown, string]>([
    ['a proved user', { user: { name: 'ada', source: 'proved' } }, 'usage.invalid'],
    ['a user with rights', { user: { name: 'ada', roles: ['admin'] } }, 'usage.invalid'],
    ['a user without a name', { user: {} }, 'usage.invalid'],
    ['a session that is not there', { session: 'none' }, 'session.not_found'],
    ['a session by its workflow id', { session: 'session:x:of-ada' }, 'session.not_found'],
    ['a session as a number', { session: 1 }, 'usage.invalid'],
    ['a scope outside of the project', { scope: '../..' }, 'usage.invalid'],
    ['another environment', { environment: 'prod' }, 'usage.invalid'],
    ['a plan', { plan: { plan: 'f'.repeat(64) } }, 'plan.changed'],
    ['a plan by itself', { $plan: {} }, 'usage.invalid'],
    ['a seal', { seal: { mac: 'x' } }, 'usage.invalid'],
    ['an approval', { approvals: [{ status: 'approved' }] }, 'usage.invalid'],
    ['a key for `__proto__`', JSON.parse('{ "__proto__": { "caller": "person" } }'), 'usage.invalid'],
    ['definitions that are not there', { registry: 'a'.repeat(64) }, 'config.registry_differs'],
    ['a retry of nothing', { retry: { task: 'no-such-task', from: null } }, 'task.not_found'],
    ['a time at which it is too late', { start_by: '2020-01-01T00:00:00Z' }, 'expired'],
    ['a time that is none', { start_by: 'soon' }, 'usage.invalid'],
    ['options that are a list', [], 'usage.invalid'],
  ])('%s', async (_, options, code) => {
    expect(await endOf({ options })).toEqual(refused(code));
  });

  test.each<[string, Partial<Record<keyof Continued, unknown>>]>([
    ['nothing at all', {}],
    ['progress', { progress: { run: { status: 'succeeded' } } }],
    ['a plan', { $plan: { ability: { id: 'op.write' } } }],
    ['a parent', { child: { ability: 'op.write', left_ms: 1000 } }],
  ])('%s in its third argument', async (_, continued) => {
    expect(await endOf({ continued })).toEqual(refused('seal.invalid'));
    const begun = await genuineStart(project, `genuine-${count}`, 'op.write', { file: fileOf(`g-${count}`) });
    const args = nextArguments(begun)[2];
    expect(await endOf({ continued: { ...args, ...continued } })).toEqual(refused('seal.invalid'));
  });

  test('a parent that is a workflow of somebody else', async () => {
    const begun = await genuineStart(project, 'of-other', 'op.write', { file: fileOf('of-other') });
    const at = await startForeign(project.connection, 'no-task', 'anything', []);
    const queue = taskQueueOf(project.connection.project, 'dev', 'local');
    const args = nextArguments({ ...begun, child: { ability: 'op.write', left_ms: 1000 } });
    await startChild(project.connection, at, { workflowId: 'of-other', type: 'op.write', queue, args });
    const end = () =>
      project.connection.temporal.workflow
        .getHandle('of-other')
        .result()
        .catch((error: { cause?: { type?: string } }) => error.cause?.type);
    await expect.poll(end).toBe('seal.invalid');
    expect(existsSync(fileOf('of-other'))).toBe(false);
  });

  test.each(['no/such', 'session:x', 'schedule:x', 'lock:a:b', '.hidden', 'ü', `a${'b'.repeat(64)}`])(
    'the id %s, which no caller may have',
    async (id) => {
      expect(await endOf({ id })).toEqual(refused('task.key_invalid'));
    },
  );

  test('a guard that asks for proof', async () => {
    const options: TaskOptions = { user: { name: 'ada' }, caller: 'person' };
    expect(await endOf({ ability: 'op.owned', options })).toEqual(refused('guard.denied'));
  });
});

test('a session of another person is shown by its task, and its guards count the call', async () => {
  expect(await endOf({ options: { session: 'of-ada', user: { name: 'eve' } } })).toEqual({
    end: 'succeeded',
    ran: true,
  });
  const { result } = await viewTask(project.connection, `claims-${count}`);
  expect(result.requested_by).toEqual({ name: 'eve', source: 'claimed' });
});

test('an environment is that of the queue: its approvals are asked for, whatever the start says of itself', async () => {
  count += 1;
  const { temporal, project: name } = project.connection;
  const file = fileOf(String(count));
  await temporal.workflow.start('op.write', {
    workflowId: 'claims-prod',
    taskQueue: taskQueueOf(name, 'prod', 'local'),
    args: [{ file }, { user: { name: 'alice' } }],
    memo: { ability: 'op.write', environment: 'dev' },
  });
  await expect
    .poll(async () => (await viewTask(project.connection, 'claims-prod')).result.status)
    .toBe('waiting_approval');
  await temporal.workflow.getHandle('claims-prod').signal('approve', { by: 'alice' });
  expect((await viewTask(project.connection, 'claims-prod')).result.approvals).toMatchObject([
    { status: 'open', ignored: [{ by: 'alice' }] },
  ]);
  await temporal.workflow.getHandle('claims-prod').cancel();
  expect(existsSync(file)).toBe(false);
  expect(readFileSync(join(project.root, 'ability.yaml'), 'utf8')).toContain('protected');
});
