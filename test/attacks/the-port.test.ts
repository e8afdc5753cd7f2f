import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { decide, viewTask } from '../../src/client/index.js';
import { retryTask } from '../../src/client/start/retry-task.js';
import { ACTIVITIES, deleteIdOf, preflightIdOf, taskQueueOf, WORKFLOWS } from '../../src/contracts/names.js';
import type { PreflightAnswer, TaskMemo, TaskStart } from '../../src/contracts/task.js';
import { sealMark } from '../../src/rules/plans/seal-mark.js';
import { packArguments } from '../../src/rules/tasks/task-arguments.js';
import {
  continueElsewhere,
  orderActivity,
  orderEagerly,
  startChild,
  startForeign,
} from '../fixtures/foreign-workflow.js';
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

/** A preflight, as any client that may start workflows can request it. */
async function preflight(task: string, environment = 'prod', ability = 'later'): Promise<Required<PreflightAnswer>> {
  const request = {
    ability,
    environment,
    input: { file: fileOf('planned') },
    task,
    direct: false,
    user,
    session: null,
  };
  const answer = await project.connection.temporal.workflow.execute(WORKFLOWS.preflight, {
    workflowId: preflightIdOf(task, project.connection.project),
    taskQueue: queueOf(environment),
    args: [request],
  });
  return answer as Required<PreflightAnswer>;
}

function startOf({ plan, seal, input }: Required<PreflightAnswer>, change: Partial<TaskStart> = {}): TaskStart {
  return { format: 1, plan, seal, input, user, session: null, run: true, warnings: [], ...change };
}

/** A workflow of foreign code with a genuine plan and seal, under the sealed key and with the right type. */
async function foreign(key: string, answer: Required<PreflightAnswer>, type = 'later') {
  return startForeign(project.connection, key, type, packArguments(startOf(answer)));
}

describe('foreign code on a queue of its own, with a genuine plan and seal, does not', () => {
  test.each(['the worker that sealed it', ...(WHOLE ? ['another one'] : [])])(
    'execute an operation with another input: %s',
    async (by) => {
      const key = `port-call-${by.length}`;
      const answer = await preflight(key);
      if (by === 'another one') await project.restartWorkers();
      const at = await foreign(key, answer);
      const argument = { seal: sealMark(answer.seal), path: 'go', with: { file: fileOf(key) } };
      const order = { type: 'util.write', queue: queueOf('prod'), argument };
      expect(await orderActivity(project.connection, at, order)).toBe('seal.invalid');
      expect(existsSync(fileOf(key))).toBe(false);
    },
  );

  test('execute an operation by a start that receives the first workflow task past the queue', async () => {
    const key = 'port-eager';
    const answer = await preflight(key);
    const argument = { seal: sealMark(answer.seal), path: 'go', with: { file: fileOf(key) } };
    const order = { type: 'util.write', queue: queueOf('prod'), argument };
    const start = { workflowId: key, type: 'later', args: packArguments(startOf(answer)) };
    expect(await orderEagerly(project.connection, start, order)).toBe('seal.invalid');
    expect(existsSync(fileOf(key))).toBe(false);
  });

  test('write a record with a made-up approval, or use any other activity of a task', async () => {
    const key = 'port-internal';
    const answer = await preflight(key);
    const at = await foreign(key, answer);
    const context = { seal: sealMark(answer.seal), input: answer.input, run: at.runId };
    const result = {
      status: 'succeeded',
      task_key: key,
      ability_id: 'later',
      version: 1,
      digest: answer.seal.plan,
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
      links: { temporal: null, record: null },
    };
    const ask = (type: string, argument: object) =>
      orderActivity(project.connection, at, { type, queue: queueOf('prod'), argument });
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
    const answer = await preflight(key, 'dev', 'release');
    const at = await foreign(key, answer, 'release');
    const input = { file: fileOf(key) };
    const argument = startOf(answer, { input, child: { ability: 'inner', left_ms: 60_000 } });
    const workflowId = `${key}/sub`;
    await startChild(project.connection, at, {
      workflowId,
      type: 'inner',
      queue: queueOf('dev'),
      args: packArguments(argument),
    });
    expect(await endOf(workflowId)).toBe('seal.invalid');
    expect(existsSync(fileOf(key))).toBe(false);
  });

  test('continue as a task that claims what its earlier runs did', async () => {
    const key = 'port-goes-on';
    const answer = await preflight(key, 'dev');
    const at = await foreign(key, answer);
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
    await continueElsewhere(project.connection, at, {
      type: 'later',
      queue: queueOf('dev'),
      args: packArguments(argument),
    });
    expect(await endOf(key)).toBe('seal.invalid');
    expect(existsSync(fileOf('planned'))).toBe(false);
  });
});

test('a task that starts with made-up results is refused, and a retry takes none of them over', async () => {
  const key = 'port-made-up';
  const answer = await preflight(key, 'dev', 'picks');
  const pick = { id: 'pick', call: 'util.pick', status: 'succeeded', output: fileOf('made-up') } as const;
  const { temporal, project: name } = project.connection;
  const memo: TaskMemo = {
    ability: 'picks',
    version: 1,
    environment: 'dev',
    plan: answer.seal.plan,
    input: answer.seal.input,
    requested_by: user.name,
  };
  await temporal.workflow.start('picks', {
    workflowId: key,
    taskQueue: queueOf('dev'),
    args: packArguments(startOf(answer, { progress: { pick } })),
    memo: { ...memo },
    typedSearchAttributes: [{ key: defineSearchAttributeKey('AbilityProject', 'KEYWORD'), value: name }],
  });
  expect(await endOf(key)).toBe('seal.invalid');
  const retried = retryTask(project.connection, key, { user, run: true });
  await expect(retried).rejects.toMatchObject({ code: 'seal.invalid' });
  expect(existsSync(fileOf('made-up'))).toBe(false);
});

test('foreign code does not erase a record in the name of a deletion', async () => {
  const key = 'port-erase';
  await preflight(key);
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

  test('executes nothing under the id of a preflight, except the preflight', async () => {
    const key = 'port-outside';
    const answer = await preflight(key);
    const seal = sealMark(answer.seal);
    const id = preflightIdOf(key, project.connection.project);
    const argument = {
      seal,
      path: 'go',
      key,
      task_key: key,
      with: { file: fileOf(key) },
      input: answer.input,
      lock: 'l',
    };
    const internal = Object.values(ACTIVITIES).filter((type) => type !== ACTIVITIES.preflight);
    for (const type of ['util.write', 'PreAbilityCall', 'PostAbilityCall', ...internal]) {
      expect([type, await outside(type, argument, id)]).toEqual([type, 'seal.invalid']);
    }
    expect(existsSync(fileOf(key))).toBe(false);
    expect(existsSync(recordOf(key))).toBe(true);
  });

  test('is not a preflight under another id, for another environment or for another task', async () => {
    const key = 'port-preflight';
    const request = { ability: 'inner', environment: 'prod', input: { file: '' }, task: key, direct: false };
    const input = { ...request, user, session: null };
    const { project: name } = project.connection;
    expect(await outside(ACTIVITIES.preflight, input, 'anything')).toBe('seal.invalid');
    expect(await outside(ACTIVITIES.preflight, input, preflightIdOf('other', name))).toBe('seal.invalid');
    expect(await outside(ACTIVITIES.preflight, input, preflightIdOf(key, name), queueOf('dev'))).toBe('seal.invalid');
    expect(existsSync(recordOf(key))).toBe(false);
    expect(await outside(ACTIVITIES.preflight, input, preflightIdOf(key, name))).toBeUndefined();
    expect(existsSync(recordOf(key))).toBe(true);
  });

  test('is not a preflight if foreign code orders it under that id', async () => {
    const key = 'port-ordered';
    const at = await startForeign(project.connection, 'anything-else', 'anything', []);
    const argument = { ability: 'inner', environment: 'prod', input: { file: '' }, task: key, direct: false };
    const order = {
      type: ACTIVITIES.preflight,
      queue: queueOf('prod'),
      argument: { ...argument, user, session: null },
    };
    expect(await orderActivity(project.connection, at, order)).toBe('seal.invalid');
    expect(existsSync(recordOf(key))).toBe(false);
  });
});

describe('a seal for one environment opens nothing in another', () => {
  test('a task of dev that is started on the queue of prod', async () => {
    const key = 'port-environment';
    const answer = await preflight(key, 'dev', 'inner');
    const { workflow: client } = project.connection.temporal;
    await client.start('inner', { workflowId: key, taskQueue: queueOf('prod'), args: packArguments(startOf(answer)) });
    expect(await endOf(key)).toBe('seal.invalid');
    expect(existsSync(fileOf('planned'))).toBe(false);
  });

  test('a preflight for prod that is started on the queue of dev', async () => {
    const request = { ability: 'inner', environment: 'prod', input: { file: '' }, task: 'port-sealed', direct: false };
    const { workflow: client } = project.connection.temporal;
    const workflowId = preflightIdOf('port-sealed', project.connection.project);
    const args = [{ ...request, user, session: null }];
    await client.start(WORKFLOWS.preflight, { workflowId, taskQueue: queueOf('dev'), args });
    expect(await endOf(workflowId)).toBe('seal.invalid');
  });
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
