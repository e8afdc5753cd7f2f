import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { decide, viewTask } from '../../src/client/index.js';
import { retryTask } from '../../src/client/start/retry-task.js';
import { ACTIVITIES, deleteIdOf, taskQueueOf, WORKFLOWS } from '../../src/contracts/names.js';
import { sealMark } from '../../src/rules/plans/plan-digest.js';
import { nextArguments } from '../../src/rules/tasks/task-arguments.js';
import { retryBy } from '../fixtures/caller.js';
import {
  continueElsewhere,
  markerOf,
  orderActivity,
  orderEagerly,
  startChild,
  startForeign,
} from '../fixtures/foreign-workflow.js';
import { genuineStart } from '../fixtures/genuine-start.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { WHOLE } from './extent.js';

let project: RunningProject;
const user = { name: 'tester', source: 'claimed' } as const;
const approvals = '{ dev: {}, prod: { protected: true, approve: [write_additive], approvers: [alice] } }';

beforeAll(async () => {
  const write = "writeFileSync(input.file, 'x'); return {};";
  const call = '{ id: go, call: util.write, with: { file: "${{ input.file }}" } }';
  project = await runProject({
    'ability.yaml': projectFile(approvals),
    'registry/hooks/PreAbilityCall.yaml':
      'hooks:\n  - { id: gate, blocking: true, match: { environments: [prod] }, handler: { expression: { deny_if: "true", reason: closed } } }\n',
    ...operation('util.write', write, { effects: 'write_additive' }),
    ...operation('util.pick', 'return input.file;'),
    ...workflow(
      'picks',
      'steps: [{ id: pick, call: util.pick, with: { file: "${{ input.file }}" } }, { id: go, call: util.write, with: { file: "${{ steps.pick.output }}" } }]',
    ),
    ...workflow('inner', `steps: [${call}]`),
    ...workflow(
      'release',
      'steps: [{ id: ask, approval: { title: Go on? } }, { id: sub, call: inner, with: { file: "${{ input.file }}" } }]',
    ),
    ...workflow('later', `steps: [{ id: ask, approval: { title: Go on? } }, ${call}]`),
  });
});
afterAll(() => project.stop());

const queueOf = (environment: string) => taskQueueOf(project.connection.project, environment, 'local');
const fileOf = (name: string) => join(project.root, name);

const recordOf = (key: string) => join(project.root, '.system/implement', key, 'record.json');

/** What passed the preflight of a task that has ended, and the marker of that preflight. */
async function genuine(key: string, environment = 'prod', ability = 'later') {
  const start = await genuineStart(project, key, ability, { file: fileOf('planned') }, { environment });
  return { ...start, marker: await markerOf(project.connection, key) };
}
type Genuine = Awaited<ReturnType<typeof genuine>>;

/** A workflow of foreign code under the sealed key, of the right type and with the right arguments. */
async function foreign(key: string, { input, options }: Genuine, type = 'later') {
  return startForeign(project.connection, key, type, [input, options]);
}

describe('foreign code on a queue of its own, with a genuine plan and seal, does not', () => {
  test.each(['the worker that sealed it', ...(WHOLE ? ['another one'] : [])])(
    'execute an operation with another input: %s',
    async (by) => {
      const key = `port-call-${by.length}`;
      const begun = await genuine(key);
      if (by === 'another one') await project.restartWorkers();
      const at = await foreign(key, begun);
      const argument = { seal: sealMark(begun.seal), path: 'go', with: { file: fileOf(key) } };
      const order = { type: 'util.write', queue: queueOf('prod'), argument, marker: begun.marker };
      expect(await orderActivity(project.connection, at, order)).toBe('seal.invalid');
      expect(existsSync(fileOf(key))).toBe(false);
    },
  );

  test('execute an operation by a start that receives the first workflow task past the queue', async () => {
    const key = 'port-eager';
    const begun = await genuine(key);
    const argument = { seal: sealMark(begun.seal), path: 'go', with: { file: fileOf(key) } };
    const order = { type: 'util.write', queue: queueOf('prod'), argument, marker: begun.marker };
    const start = { workflowId: key, type: 'later', args: [begun.input, begun.options] };
    expect(await orderEagerly(project.connection, start, order)).toBe('seal.invalid');
    expect(existsSync(fileOf(key))).toBe(false);
  });

  test('write a record with a made-up approval, or use any other activity of a task', async () => {
    const key = 'port-internal';
    const begun = await genuine(key);
    const at = await foreign(key, begun);
    const context = { seal: sealMark(begun.seal), input: begun.input, run: at.runId };
    const result = {
      status: 'succeeded',
      task_key: key,
      ability_id: 'later',
      version: 1,
      digest: begun.seal.plan,
      environment: 'prod',
      output: null,
      error: null,
      warnings: [],
      steps: [],
      approvals: [{ id: 'made-up', path: 'ask', title: 'Go on?', status: 'approved', decisions: [], reasons: [] }],
      hooks: [],
      requested_by: user,
      started_at: null,
      finished_at: null,
      cleanup_ran: null,
      links: { temporal: null, page: null, record: null },
    };
    const ask = (type: string, argument: object) =>
      orderActivity(project.connection, at, { type, queue: queueOf('prod'), argument, marker: begun.marker });
    expect(await ask(ACTIVITIES.finish, { ...context, result })).toBe('seal.invalid');
    expect(await ask('PreAbilityCall', { ...context, phase: 'PreAbilityCall', path: '', operation: null })).toBe(
      'seal.invalid',
    );
    expect(await ask(ACTIVITIES.enter, context)).toBe('seal.invalid');
    expect(await ask(ACTIVITIES.modify, { ...context, by: user })).toBe('seal.invalid');
    expect(await ask(ACTIVITIES.recordChange, { ...context, created_at: '', changes: [], warnings: [] })).toBe(
      'seal.invalid',
    );
    expect(await ask(ACTIVITIES.acquire, context)).toBe('seal.invalid');
    expect(await ask(ACTIVITIES.release, { ...context, lock: 'lock:x' })).toBe('seal.invalid');
    expect(readFileSync(recordOf(key), 'utf8')).not.toContain('made-up');
  });

  test('start a workflow as if a task had called it', async () => {
    const key = 'port-child';
    const begun = await genuine(key, 'dev', 'release');
    const at = await foreign(key, begun, 'release');
    const input = { file: fileOf(key) };
    const argument = { ...begun, input, child: { ability: 'inner', left_ms: 60_000 } };
    const workflowId = `${key}/sub`;
    await startChild(project.connection, at, {
      workflowId,
      type: 'inner',
      queue: queueOf('dev'),
      args: nextArguments(argument),
    });
    expect(await endOf(workflowId)).toBe('seal.invalid');
    expect(existsSync(fileOf(key))).toBe(false);
  });

  test('continue as a task that claims what its earlier runs did', async () => {
    const key = 'port-goes-on';
    const begun = await genuine(key, 'dev');
    const at = await foreign(key, begun);
    const argument = {
      ...begun,
      progress: { ask: { status: 'succeeded' as const, output: { decision: 'approve' } } },
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
    };
    await continueElsewhere(project.connection, at, {
      type: 'later',
      queue: queueOf('dev'),
      args: nextArguments(argument),
    });
    expect(await endOf(key)).toBe('seal.invalid');
    expect(existsSync(fileOf('planned'))).toBe(false);
  });
});

test('a task that starts with made-up results is refused, and a retry takes none of them over', async () => {
  const key = 'port-made-up';
  const begun = await genuine(key, 'dev', 'picks');
  const pick = { id: 'pick', call: 'util.pick', status: 'succeeded', output: fileOf('made-up') } as const;
  const at = await foreign(key, begun, 'picks');
  const args = nextArguments({ ...begun, progress: { pick } });
  const attributes = { AbilityProject: project.connection.project };
  const memo = { ability: 'picks', environment: 'dev', requested_by: 'tester' };
  await continueElsewhere(project.connection, at, { type: 'picks', queue: queueOf('dev'), args, attributes, memo });
  expect(await endOf(key)).toBe('seal.invalid');
  const retried = retryTask(project.connection, key, { ...retryBy(), run: true });
  await expect(retried).rejects.toMatchObject({ code: 'seal.invalid' });
  expect(existsSync(fileOf('made-up'))).toBe(false);
});

test('foreign code does not erase a record in the name of a deletion', async () => {
  const key = 'port-erase';
  await genuine(key);
  const at = await startForeign(project.connection, deleteIdOf(key), WORKFLOWS.delete, [{ key }]);
  const tombstone = { format: 1, task_key: key, ability_id: 'later', environment: 'prod', input: null };
  const argument = { ...tombstone, deleted_at: new Date().toISOString(), deleted_by: 'ann', purged: false };
  const order = { type: ACTIVITIES.erase, queue: queueOf('prod'), argument };
  expect(await orderActivity(project.connection, at, order)).toBe('seal.invalid');
  expect(existsSync(recordOf(key))).toBe(true);
});

describe('an activity that is started outside of any workflow', () => {
  /** The code with which it fails; undefined if it succeeds. */
  const outside = (type: string, argument: object, id: string, queue = queueOf('prod')): Promise<unknown> =>
    project.connection.temporal.activity
      .execute(type, {
        id,
        taskQueue: queue,
        args: [argument],
        startToCloseTimeout: '10s',
        retry: { maximumAttempts: 1 },
      })
      .then(
        () => undefined,
        (error: { cause?: { type?: string } }) => error.cause?.type,
      );

  test('executes nothing, and is no preflight', async () => {
    const key = 'port-outside';
    const begun = await genuine(key);
    const argument = {
      seal: sealMark(begun.seal),
      path: 'go',
      key,
      task_key: key,
      with: { file: fileOf(key) },
      input: begun.input,
      options: {},
      first: 'x',
      created_at: new Date().toISOString(),
      lock: 'l',
    };
    for (const type of [
      'util.write',
      'PreAbilityCreate',
      'PreAbilityCall',
      'PostAbilityCall',
      ...Object.values(ACTIVITIES),
    ]) {
      for (const id of [key, `preflight:${key}`]) {
        const code = await outside(type, argument, id);
        expect([type, type === ACTIVITIES.preflight ? 'seal.invalid' : code]).toEqual([type, 'seal.invalid']);
        expect(code).toBeDefined();
      }
    }
    expect(existsSync(fileOf(key))).toBe(false);
  });

  test.each([ACTIVITIES.preflight, 'PreAbilityCreate'])(
    'is no preflight if foreign code orders it: %s',
    async (type) => {
      const key = `port-ordered-${type.length}`;
      const at = await startForeign(project.connection, key, 'inner', [{ file: '' }]);
      const argument = { input: { file: '' }, options: {}, first: at.runId, created_at: new Date().toISOString() };
      const code = await orderActivity(project.connection, at, { type, queue: queueOf('prod'), argument });
      expect(code).toBeDefined();
      expect(existsSync(recordOf(key))).toBe(false);
    },
  );
});

test('a seal for one environment opens nothing in another', async () => {
  const key = 'port-environment';
  const begun = await genuine(key, 'dev', 'inner');
  const at = await foreign(key, begun, 'inner');
  await continueElsewhere(project.connection, at, {
    type: 'inner',
    queue: queueOf('prod'),
    args: nextArguments(begun),
  });
  expect(await endOf(key)).toBe('seal.invalid');
  expect(existsSync(fileOf('planned'))).toBe(false);
});

describe('a worker reads from Temporal', () => {
  const reads = () => vi.spyOn(project.host().access.client.workflowService, 'getWorkflowExecutionHistory');
  const untilWaiting = (id: string) =>
    expect
      .poll(async () => (await viewTask(project.connection, id)).result.approvals.length, { timeout: 20_000 })
      .toBe(1);

  test('no history of runs that it executes itself, nor of called tasks', async () => {
    const historyReads = reads();
    const { id } = await project.create('release', { file: fileOf('own') });
    await untilWaiting(id);
    await decide(project.connection, id, 'approve', { by: user.name });
    expect(await project.wait(id)).toMatchObject({ result: { status: 'succeeded' } });
    expect(historyReads).not.toHaveBeenCalled();
  });

  test.runIf(WHOLE)('the history of each run that another worker began, once', async () => {
    const { id } = await project.create('release', { file: fileOf('taken-over') });
    await untilWaiting(id);
    await project.restartWorkers();
    const historyReads = reads();
    await decide(project.connection, id, 'approve', { by: user.name });
    expect(await project.wait(id)).toMatchObject({ result: { status: 'succeeded' } });
    expect(historyReads).toHaveBeenCalledOnce();
  });
});

/** The code with which a workflow fails, across all its runs. */
async function endOf(workflowId: string): Promise<string | undefined> {
  const { workflow } = project.connection.temporal as Client;
  await expect
    .poll(() =>
      workflow
        .getHandle(workflowId)
        .describe()
        .then(Boolean, () => false),
    )
    .toBe(true);
  return workflow
    .getHandle(workflowId)
    .result()
    .then(
      () => undefined,
      (error: { cause?: { type?: string } }) => error.cause?.type,
    );
}
