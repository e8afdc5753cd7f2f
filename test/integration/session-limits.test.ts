import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decide, promptSession, showSession, startSession, stopSession } from '../../src/client/index.js';
import type { JsonObject } from '../../src/contracts/json.js';
import type { TaskResult } from '../../src/contracts/task.js';
import { replayHistory } from '../../src/worker/replay/replay-history.js';
import { timesIn } from '../fixtures/extent.js';
import { operation, type ProjectFiles, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

const USER = { name: 'ada', source: 'claimed' } as const;
const ROUNDS = timesIn('LONG', 5, 20);

const page = readFileSync(join(import.meta.dirname, '../../docs/sessions.md'), 'utf8');
const [, limits = ''] = /<!-- limits -->\n```yaml\n([\s\S]*?)```/.exec(page) ?? [];

/** The guards are those of the documentation. */
const FILES: ProjectFiles = {
  'ability.yaml': projectFile('{ dev: { approvers: [bob] } }'),
  'registry/hooks/PreAbilityCall.yaml': limits,
  ...operation('pay.refund', "if (input.fail) throw new Error('no'); return input.amount;", {
    effects: 'write_additive',
    yaml: 'input_schema: { type: object, properties: { amount: { type: number }, fail: { type: boolean } } }',
  }),
  ...operation('secrets.read', 'return 1;'),
  ...operation('mail.send', 'return 1;', { effects: 'write_additive' }),
  ...operation('deploy.once', 'return 1;', { effects: 'destructive' }),
  ...operation('flaky', "if (input.fail) throw new Error('no'); return 1;", { effects: 'write_additive' }),
  ...workflow(
    'two_refunds',
    `
steps:
  - id: both
    parallel:
      one: { call: pay.refund, with: { amount: 300 } }
      two: { call: pay.refund, with: { amount: 300 } }
    on_failure: finish`,
  ),
};

describe('guards over the calls of a session', () => {
  let project: RunningProject;
  const start = async (): Promise<string> =>
    (await startSession(project.connection, { environment: 'dev', scope: 'integration', user: USER })).session_id;
  const run = (ability: string, session: string, input: JsonObject = {}): Promise<TaskResult> =>
    project.run(ability, input, { session });
  const statusOf = async (result: Promise<TaskResult>): Promise<string> => (await result).status;

  beforeAll(async () => {
    project = await runProject(FILES);
    await project.host().serve([{ environment: 'dev', placement: 'local' }]);
  });
  afterAll(() => project.stop());

  test('at most 500 EUR may be refunded in a session: a refund beyond it is denied, and never made', async () => {
    const session = await start();
    expect(await statusOf(run('pay.refund', session, { amount: 300 }))).toBe('succeeded');
    expect(await statusOf(run('pay.refund', session, { amount: 200 }))).toBe('succeeded');
    const denied = await run('pay.refund', session, { amount: 0.5 });
    expect(denied).toMatchObject({ status: 'denied', error: { code: 'guard.denied' } });
    // A denied call does not count, and another session has a limit of its own.
    expect((await showSession(project.connection, session)).counts).toMatchObject({ write_additive: 2, total: 2 });
    expect(await statusOf(run('pay.refund', await start(), { amount: 500 }))).toBe('succeeded');
    expect((await promptSession(project.connection, session, 'x', USER)).hook_signals.ability_guards).toMatchObject([
      { ability_id: 'pay.refund', decision: 'deny' },
    ]);
  });

  test('no external call after a read of secrets, which counts although its ability has no such guard', async () => {
    const session = await start();
    expect(await statusOf(run('mail.send', session))).toBe('succeeded');
    expect(await statusOf(run('secrets.read', session))).toBe('succeeded');
    expect(await statusOf(run('mail.send', session))).toBe('denied');
  });

  test('after two failures an approval is required', async () => {
    const session = await start();
    for (let time = 0; time < 2; time += 1)
      expect(await statusOf(run('flaky', session, { fail: true }))).toBe('failed');
    const { id } = await project.create('flaky', {}, { session });
    expect(await project.wait(id, { approvalMs: 0 })).toMatchObject({ kind: 'approval' });
    await decide(project.connection, id, 'deny', { by: 'bob', comment: 'no' });
    expect(await project.wait(id)).toMatchObject({ kind: 'ended', result: { status: 'denied' } });
    // A call that an approver denied was not made either.
    expect((await showSession(project.connection, session)).counts.total).toBe(2);
  });

  test('outside a session such a guard fails, and suggests what to do', async () => {
    const result = await project.run('pay.refund', { amount: 1 });
    expect(result).toMatchObject({
      status: 'denied',
      error: { code: 'hook.failed', suggestion: expect.stringContaining('--session') },
    });
  });

  test(`two calls at once never both pass a limit of one, in ${ROUNDS} rounds: two tasks, and two branches`, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const session = await start();
      const both = await Promise.all([run('deploy.once', session), run('deploy.once', session)]);
      expect(both.map(({ status }) => status).sort()).toEqual(['denied', 'succeeded']);
    }
    const session = await start();
    const branches = await run('two_refunds', session);
    expect(
      branches.steps
        .filter(({ call }) => call)
        .map(({ status }) => status)
        .sort(),
    ).toEqual(['denied', 'succeeded']);
  });

  test('add one activity to the call, and replay', async () => {
    const session = await start();
    await project.run('pay.refund', { amount: 1 }, { session, key: 'entered' });
    const history = await project.connection.temporal.workflow.getHandle('entered').fetchHistory();
    const scheduled = (history.events ?? []).flatMap(
      ({ activityTaskScheduledEventAttributes: made }) => made?.activityType?.name ?? [],
    );
    expect(scheduled).toEqual(['PreAbilityCall', 'pay.refund']);
    expect(await replayHistory({ name: 'entered', workflowId: 'entered', history })).toMatchObject({ status: 'ok' });
  });

  test('a task that continues after the end of its session is denied by such a guard, and runs without one', async () => {
    const session = await start();
    const open = await project.create('secrets.read', {}, { session, run: false });
    const limited = await project.create('pay.refund', { amount: 1 }, { session, run: false });
    await stopSession(project.connection, session);
    for (const { id } of [open, limited]) await project.connection.temporal.workflow.getHandle(id).signal('run');
    expect(await project.wait(open.id)).toMatchObject({ result: { status: 'succeeded' } });
    expect(await project.wait(limited.id)).toMatchObject({
      result: { status: 'denied', error: { code: 'hook.failed' } },
    });
  });
});
