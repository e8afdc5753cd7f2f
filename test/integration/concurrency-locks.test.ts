import { afterAll, describe, expect, test } from 'vitest';
import { cancelTask } from '../../src/client/index.js';
import type { Turn } from '../../src/contracts/concurrency.js';
import { LOCK_SIGNALS, lockIdOf, QUERIES, SLOT_SIGNAL, WORKFLOWS } from '../../src/contracts/names.js';
import { digestOf } from '../../src/rules/canonical.js';
import { describeWait } from '../../src/rules/concurrency/describe-concurrency.js';
import { nextArguments } from '../../src/rules/tasks/task-arguments.js';
import { readStart } from '../fixtures/read-start.js';
import { gated, startTurns } from '../fixtures/turns.js';

const turns = await startTurns();
const { flows, fresh, ended, untilStatus, untilHolding, go, start, lockIsOver, lineOf, linesOf, view } = turns;
const listedStatus = async (id: string) =>
  (await flows.project.connection.temporal.workflow.getHandle(id).describe()).searchAttributes.AbilityStatus;
afterAll(() => flows.project.stop());

describe('a lock', () => {
  test('ignores signals sent by hand, as do its tasks, and being cancelled; its key may be any text', async () => {
    const file = fresh();
    const key = '漢\n`| ${ '.repeat(60);
    const ability = flows.define(gated('{ key: "${{ input.key }}" }'));
    const first = await flows.project.create(ability, { key, file, name: 'first' });
    await untilHolding(first.id);
    const { temporal, project } = flows.project.connection;
    const lock = temporal.workflow.getHandle(lockIdOf(project, 'dev', digestOf(key)));
    const absent = { task: 'no-such-task', run: 'r', limit: 1, on_busy: 'wait' };
    for (const junk of [
      undefined,
      null,
      5,
      'x',
      {},
      { task: 5 },
      absent,
      { ...absent, limit: -1 },
      { task: first.id },
    ]) {
      await lock.signal(LOCK_SIGNALS.enter, junk);
      await lock.signal(LOCK_SIGNALS.leave, junk);
    }
    await lock.signal('something else', 1);
    await lock.signal(LOCK_SIGNALS.enter, absent);
    await lock.cancel();
    const second = await flows.project.create(ability, { key, file, name: 'second' });
    await untilStatus(second.id, 'waiting');
    for (const junk of [null, 'granted', 5, {}, { answer: 'waiting' }, { answer: 'superseded' }]) {
      await temporal.workflow.getHandle(second.id).signal(SLOT_SIGNAL, junk);
    }
    await go(first.id);
    await ended(first.id);
    await untilHolding(second.id);
    await go(second.id);
    expect((await ended(second.id)).status).toBe('succeeded');
    await expect.poll(async () => (await lock.describe()).status.name, { timeout: 20_000 }).toBe('COMPLETED');
  });

  test('that was started by hand, without its lists, still serves its tasks', async () => {
    const file = fresh();
    const { temporal, project } = flows.project.connection;
    const handle = await temporal.workflow.start(WORKFLOWS.lock, {
      workflowId: lockIdOf(project, 'dev', digestOf(`k-${file}`)),
      taskQueue: `${project}-dev-local`,
      args: [{ key: 'k' }],
    });
    const absent = { task: 'no-such-task', run: 'r', limit: 1, on_busy: 'wait' };
    await handle.signal(LOCK_SIGNALS.enter, absent).catch(() => {});
    expect((await flows.project.run('one', { file, name: 'only', ms: 1 })).status).toBe('succeeded');
    await lockIsOver(file);
  });

  test('that does not answer leaves its task waiting, which reports this, and requests again once the lock has ended', async () => {
    const file = fresh();
    const { temporal, project } = flows.project.connection;
    const stuck = await temporal.workflow.start('ability:nothing', {
      workflowId: lockIdOf(project, 'dev', digestOf(`k-${file}`)),
      taskQueue: `${project}-dev-unserved`,
    });
    const first = await start('gated', file, 'first');
    await untilStatus(first, 'waiting');
    const { concurrency } = await view(first);
    expect(concurrency).toMatchObject({ held_by: [], granted_at: null });
    expect(concurrency).not.toHaveProperty('token');
    expect(describeWait(concurrency as Turn)).toMatch(/the lock has not answered yet/);
    await expect.poll(() => listedStatus(first), { timeout: 20_000 }).toEqual(['waiting']);
    await stuck.terminate('by hand');
    await expect
      .poll(async () => (await view(first)).concurrency?.granted_at ?? null, { timeout: 50_000 })
      .not.toBeNull();
    await go(first);
    expect((await ended(first)).status).toBe('succeeded');
    await lockIsOver(file);
  }, 120_000);

  test('is believed only with the token of the request: no one else grants a turn or sees the token', async () => {
    const file = fresh();
    const first = await start('gated', file, 'first');
    await untilHolding(first);
    const second = await start('gated', file, 'second');
    await untilStatus(second, 'waiting');
    const handle = flows.project.connection.temporal.workflow.getHandle(second);
    for (const token of [undefined, null, '', 'x', 5]) {
      await handle.signal(SLOT_SIGNAL, { answer: 'granted', token });
      await handle.signal(SLOT_SIGNAL, { answer: 'busy', held_by: ['x'], token });
      await handle.signal(SLOT_SIGNAL, { answer: 'superseded', by: 'x', token });
    }
    expect(await view(second)).toMatchObject({ status: 'waiting', warnings: [], concurrency: { granted_at: null } });
    const state = await flows.project.connection.temporal.workflow
      .getHandle(lockIdOf(flows.project.connection.project, 'dev', digestOf(`k-${file}`)))
      .query(QUERIES.lock);
    expect(JSON.stringify([state, await view(second)])).not.toContain('token');
    await go(first);
    await untilHolding(second);
    await go(second);
    expect((await ended(second)).status).toBe('succeeded');
    expect(linesOf(file)).toEqual(['begin first', 'end first', 'begin second', 'end second']);
  });

  test('receives requests only from tasks that passed preflight', async () => {
    const file = fresh();
    const { temporal, project } = flows.project.connection;
    const first = await start('gated', file, 'first');
    await untilHolding(first);
    const argument = nextArguments(await readStart(flows.project.connection, first));
    const forged = await temporal.workflow.start('gated', {
      workflowId: `${first}-forged`,
      taskQueue: `${project}-dev-local`,
      args: argument,
    });
    const code = await forged.result().catch((error: { cause?: { type?: string } }) => error.cause?.type);
    expect(code).toBe('seal.invalid');
    expect(await lineOf(file)).toEqual({ in: [first], waiting: [] });
  });
});

describe('a slot is free again', () => {
  test('when its task fails, times out or is cancelled', async () => {
    const file = fresh();
    const key = `concurrency: { key: "k-\${{ input.file }}" }`;
    const fails = flows.define(`${key}\nsteps: [{ id: no, fail: { code: no_luck, message: no } }]`);
    const slow = flows.define(`timeout: 1s\n${key}\nsteps: [{ id: slow, call: util.slow, with: { ms: 20000 } }]`);
    expect((await flows.project.run(fails, { file })).status).toBe('failed');
    expect((await flows.project.run(slow, { file })).status).toBe('timed_out');
    const held = await start('gated', file, 'held');
    await untilHolding(held);
    await cancelTask(flows.project.connection, held);
    expect((await ended(held)).status).toBe('cancelled');
    expect((await flows.project.run('one', { file, name: 'last', ms: 1 })).status).toBe('succeeded');
    await lockIsOver(file);
  });

  test('when its task is terminated, for a waiting task and for one that refuses to wait', async () => {
    const file = fresh();
    const { workflow: workflows } = flows.project.connection.temporal;
    const first = await start('gated', file, 'first');
    await untilHolding(first);
    const second = await start('gated', file, 'second');
    await untilStatus(second, 'waiting');
    await workflows.getHandle(first).terminate('by hand');
    await untilHolding(second);
    await workflows.getHandle(second).terminate('by hand');
    const third = await start('refuses', file, 'third');
    await untilHolding(third);
    await go(third);
    expect((await ended(third)).status).toBe('succeeded');
    await lockIsOver(file);
  });

  test('when a waiting task was terminated, for the next one', async () => {
    const file = fresh();
    const first = await start('gated', file, 'first');
    await untilHolding(first);
    const second = await start('gated', file, 'second');
    await untilStatus(second, 'waiting');
    const third = await start('gated', file, 'third');
    await untilStatus(third, 'waiting');
    await flows.project.connection.temporal.workflow.getHandle(second).terminate('by hand');
    await go(first);
    await untilHolding(third);
  });

  test('when its execution was deleted', async () => {
    const file = fresh();
    const { temporal, namespace } = flows.project.connection;
    const first = await start('gated', file, 'first');
    await untilHolding(first);
    await temporal.workflowService.deleteWorkflowExecution({ namespace, workflowExecution: { workflowId: first } });
    await untilHolding(await start('gated', file, 'second'));
  });
});
