import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cancelTask, readRecord } from '../../src/client/index.js';
import { taskQueueOf } from '../../src/contracts/names.js';
import type { Plan } from '../../src/contracts/plan.js';
import type { TaskStart } from '../../src/contracts/task.js';
import { nextArguments } from '../../src/rules/tasks/task-arguments.js';
import { continueElsewhere, startForeign } from '../fixtures/foreign-workflow.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { readStart } from '../fixtures/read-start.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

let project: RunningProject;

beforeAll(async () => {
  const write = "(await import('node:fs')).writeFileSync(input.file, 'x'); return {};";
  const call = '{ id: go, call: util.write, with: { file: "${{ input.file }}" } }';
  project = await runProject({
    'ability.yaml': projectFile('{ dev: {} }'),
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

/** What passed the preflight of a real task, which anyone who reads its history knows; the task has ended. */
async function genuine(key: string, file: string, ability = 'release'): Promise<TaskStart> {
  await project.create(ability, { file }, { key, run: false });
  const start = await readStart(project.connection, key);
  await cancelTask(project.connection, key);
  await project.wait(key);
  return start;
}

const start = (workflowId: string, argument: TaskStart, more: { cronSchedule?: string } = {}) =>
  project.connection.temporal.workflow.start('release', {
    workflowId,
    taskQueue: taskQueue(),
    args: nextArguments(argument),
    ...more,
  });

/** As the next run of a workflow of foreign code, which Temporal itself attests. */
async function goOn(workflowId: string, argument: TaskStart, type = 'release'): Promise<WorkflowHandle> {
  const at = await startForeign(project.connection, workflowId, 'release', []);
  await continueElsewhere(project.connection, at, {
    type,
    queue: taskQueue(),
    args: nextArguments(argument),
  });
  return project.connection.temporal.workflow.getHandle(workflowId);
}

const codeOf = (handle: WorkflowHandle): Promise<unknown> =>
  handle.result().catch((error: { cause?: { type?: string } }) => error.cause?.type);

/** Claims that an earlier run had been allowed. */
const allowed = (): Pick<TaskStart, 'progress' | 'carried'> => ({
  progress: { ask: { status: 'succeeded', output: { decision: 'approve' } } },
  carried: {
    started_at: new Date().toISOString(),
    approvals: [],
    hooks: [],
    signals: [],
    used_ms: 0,
    calls: 0,
    sequence: 0,
    paused: false,
  },
});

describe('a task started by hand with a genuine seal runs nothing', () => {
  test.each(['by the worker that sealed it', 'by another one'])('as a called task, %s', async (by) => {
    const key = `forged-called-${by.length}`;
    const file = join(project.root, key);
    const begun = await genuine(key, file);
    if (by === 'by another one') await project.restartWorkers();
    const child = { ability: 'inner', left_ms: 60_000 };
    expect(await codeOf(await start(key, { ...begun, child }))).toBe('seal.invalid');
    expect(await codeOf(await goOn(key, { ...begun, child }))).toBe('seal.invalid');
    expect(existsSync(file)).toBe(false);
  });

  test('with an altered plan', async () => {
    const file = join(project.root, 'forged-planned');
    const begun = await genuine('forged-planned', file);
    const workflows = begun.plan.workflows as NonNullable<Plan['workflows']>;
    const plan = { ...begun.plan, workflows: { ...workflows, other: workflows.inner } } as Plan;
    const child = { ability: 'other', left_ms: 60_000 };
    expect(await codeOf(await start('forged-planned', { ...begun, plan, child }))).toBe('seal.invalid');
    expect(existsSync(file)).toBe(false);
  });

  test('again and again, as if an earlier run had been allowed', async () => {
    const file = join(project.root, 'forged-again');
    const begun = await genuine('forged-again', file);
    await start('forged-again', { ...begun, ...allowed(), run: true }, { cronSchedule: '@every 1s' });
    const ends: string[] = [];
    const look = async () => {
      ends.length = 0;
      const runs = project.connection.temporal.workflow.list({ query: "WorkflowId = 'forged-again'" });
      for await (const { status } of runs) ends.push(status.name);
      return ends.length;
    };
    await expect.poll(look, { timeout: 20_000 }).toBeGreaterThan(3);
    await project.connection.temporal.workflow.getHandle('forged-again').terminate();
    expect(ends).not.toContain('COMPLETED');
    expect(existsSync(file)).toBe(false);
  });

  test('with a plan, an input or a session that passed no preflight, or progress of a run that was not', async () => {
    const file = join(project.root, 'forged-progress');
    const begun = await genuine('forged-progress', file, 'inner');
    const progress = { go: { status: 'succeeded' as const, output: {} } };
    expect(await codeOf(await start('forged-progress', { ...begun, run: true, ...allowed() }))).toBe('seal.invalid');
    const [operation] = Object.entries(begun.plan.operations);
    const operations = { [String(operation?.[0])]: { ...operation?.[1], timeout_ms: 9 } };
    const plan = { ...begun.plan, operations } as unknown as Plan;
    for (const change of [
      { plan },
      { input: { file: `${file}-2` } },
      { session: 'another', options: { session: 'another' } },
    ])
      expect(
        await codeOf(await goOn('forged-progress', { ...begun, run: true, ...change } as TaskStart, 'inner')),
      ).toBe('seal.invalid');
    // Whoever has a worker of their own can end a workflow as they like, but no record says so.
    await (await goOn('forged-progress', { ...begun, run: true, progress }, 'inner')).result();
    expect(readRecord(project.connection, 'forged-progress')?.result?.status).toBe('cancelled');
    expect(existsSync(file) || existsSync(`${file}-2`)).toBe(false);
  });
});
