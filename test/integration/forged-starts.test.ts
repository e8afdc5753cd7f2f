import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { preflightIdOf, taskQueueOf, WORKFLOWS } from '../../src/contracts/names.js';
import type { Plan } from '../../src/contracts/plan.js';
import type { PreflightAnswer, TaskStart } from '../../src/contracts/task.js';
import { packArguments } from '../../src/rules/tasks/task-arguments.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

let project: RunningProject;
const user = { name: 'tester', source: 'claimed' } as const;
const gate = (deny: boolean): string =>
  `hooks:\n  - { id: gate, match: { environments: [dev] }, blocking: true, handler: { expression: { deny_if: "${deny}", reason: closed } } }\n`;

beforeAll(async () => {
  const write = "(await import('node:fs')).writeFileSync(input.file, 'x'); return {};";
  const call = '{ id: go, call: util.write, with: { file: "${{ input.file }}" } }';
  project = await runProject({
    'ability.yaml': projectFile('{ dev: {} }'),
    'registry/hooks/PreAbilityCreate.yaml': gate(false),
    ...operation('util.write', write, { effects: 'write_additive' }),
    ...workflow('inner', `steps: [${call}]`),
    ...workflow(
      'release',
      `steps: [{ id: ask, approval: { title: Go on? } }, { id: sub, call: inner, with: { file: "\${{ input.file }}" } }]`,
    ),
  });
});
afterAll(() => project.stop());

const taskQueue = () => taskQueueOf(project.connection.project, 'dev', 'local');

/** What any user who may start workflows can request. */
async function preflight(task: string, file: string, ability = 'release'): Promise<PreflightAnswer> {
  const request = { ability, environment: 'dev', input: { file }, task, direct: false, user, session: null };
  return project.connection.temporal.workflow.execute(WORKFLOWS.preflight, {
    workflowId: preflightIdOf(task, project.connection.project),
    taskQueue: taskQueue(),
    args: [request],
  });
}

function startOf({ plan, seal, input }: PreflightAnswer, change: Partial<TaskStart>): TaskStart {
  if (!seal) throw new Error('it was not sealed');
  return { format: 1, plan, seal, input, user, session: null, run: true, warnings: [], ...change };
}

const start = (workflowId: string, argument: TaskStart, more: { cronSchedule?: string } = {}) =>
  project.connection.temporal.workflow.start('release', {
    workflowId,
    taskQueue: taskQueue(),
    args: packArguments(argument),
    ...more,
  });

const codeOf = (handle: WorkflowHandle): Promise<unknown> =>
  handle.result().catch((error: { cause?: { type?: string } }) => error.cause?.type);

describe('a task started by hand with a genuine seal runs nothing', () => {
  test.each(['by the worker that sealed it', 'by another one'])('as a called task, %s', async (by) => {
    const key = `forged-called-${by.length}`;
    const file = join(project.root, key);
    const answer = await preflight(key, file);
    if (by === 'by another one') await project.restartWorkers();
    const child = { ability: 'inner', left_ms: 60_000 };
    expect(await codeOf(await start(key, startOf(answer, { child })))).toBe('seal.invalid');
    expect(existsSync(file)).toBe(false);
  });

  test('with an altered plan', async () => {
    const file = join(project.root, 'forged-planned');
    const answer = await preflight('forged-planned', file);
    const workflows = answer.plan.workflows as NonNullable<Plan['workflows']>;
    const plan = { ...answer.plan, workflows: { ...workflows, other: workflows.inner } } as Plan;
    const child = { ability: 'other', left_ms: 60_000 };
    expect(await codeOf(await start('forged-planned', startOf(answer, { plan, child })))).toBe('seal.invalid');
    expect(existsSync(file)).toBe(false);
  });

  test('again and again, as if an earlier run had been allowed', async () => {
    const file = join(project.root, 'forged-again');
    const answer = await preflight('forged-again', file);
    const now = new Date().toISOString();
    const argument = startOf(answer, {
      progress: { ask: { status: 'succeeded', output: { decision: 'approve' } } },
      carried: {
        created_at: now,
        started_at: now,
        approvals: [],
        hooks: [],
        signals: [],
        used_ms: 0,
        calls: 0,
        sequence: 0,
        paused: false,
      },
    });
    await start('forged-again', argument, { cronSchedule: '@every 1s' });
    const ends: string[] = [];
    const look = async () => {
      ends.length = 0;
      const runs = project.connection.temporal.workflow.list({ query: "WorkflowId = 'forged-again'" });
      for await (const { status } of runs) ends.push(status.name);
      return ends.length;
    };
    await expect.poll(look, { timeout: 20_000 }).toBeGreaterThan(2);
    await project.connection.temporal.workflow.getHandle('forged-again').terminate();
    expect(ends).not.toContain('COMPLETED');
    expect(existsSync(file)).toBe(false);
  });
});

test('a key in use gets no seal, since no guard was consulted about it', async () => {
  const file = join(project.root, 'forged-held');
  await project.create('inner', { file }, { key: 'forged-held', run: false });
  project.write({ 'registry/hooks/PreAbilityCreate.yaml': gate(true) });
  await expect(preflight('forged-fresh', file, 'inner')).rejects.toMatchObject({ cause: { type: 'guard.denied' } });
  expect((await preflight('forged-held', file, 'inner')).seal).toBeUndefined();
  // The same request under the same key attaches to it.
  expect(await project.create('inner', { file }, { key: 'forged-held' })).toMatchObject({
    id: 'forged-held',
    attached: true,
  });
  expect(await project.wait('forged-held')).toMatchObject({ result: { status: 'succeeded' } });
  project.write({ 'registry/hooks/PreAbilityCreate.yaml': gate(false) });
});
