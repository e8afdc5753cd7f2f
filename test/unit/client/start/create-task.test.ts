import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createTask } from '../../../../src/client/start/create-task.js';
import type { NewTask } from '../../../../src/client/start/new-task.js';
import type { Formed, Refusal } from '../../../../src/contracts/task.js';
import { digestOf } from '../../../../src/rules/canonical.js';
import { callerOf } from '../../../fixtures/caller.js';
import { examplePlan } from '../../rules/example-plan.js';
import { type Execution, serverWith } from './fake-temporal.js';

const example = examplePlan();
const input_schema = { type: 'object', properties: { n: { type: 'integer', default: 1 } } };
const PLAN = { ...example, ability: { ...example.ability, input_schema } };
const FORMED: Formed = { seal: { key_id: 'k', mac: 'm' }, plan: PLAN, input: { n: 1 } };
const REFUSAL: Refusal = { status: 'unavailable', code: 'guard.denied', reason: 'No.', suggestion: null };

const wanted = (more: Partial<NewTask> = {}): NewTask => ({
  ...{ ability: 'signup', environment: 'staging', input: {}, caller: callerOf(), run: true, key: 'k', ...more },
});

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

describe('a start', () => {
  test('is one request, and ends with the preflight of the task', async () => {
    const { connection, start } = serverWith({ formed: { answer: { ...FORMED, warnings: ['w'] } } });
    expect(await createTask(connection, wanted())).toEqual({ id: 'k', runId: 'new', warnings: ['w'], attached: false });
    const policies = { workflowIdConflictPolicy: 'FAIL', workflowIdReusePolicy: 'REJECT_DUPLICATE' };
    expect(start.mock.calls).toMatchObject([['signup', { workflowId: 'k', ...policies }]]);
  });

  test('ends with its acceptance for a caller who waits for the end', async () => {
    const { connection, history } = serverWith();
    expect(await createTask(connection, wanted({ soon: true }))).toMatchObject({ runId: 'new', attached: false });
    expect(history).not.toHaveBeenCalled();
  });

  test('fails with the refusal of its preflight', async () => {
    const { connection } = serverWith({ formed: { refusal: REFUSAL } });
    await expect(createTask(connection, wanted())).rejects.toMatchObject({ code: 'guard.denied', message: 'No.' });
  });

  test('has a key of its own, or none for a direct run', async () => {
    const { connection } = serverWith({ formed: { answer: FORMED } });
    const keyless = { ...wanted(), key: undefined } as unknown as NewTask;
    expect((await createTask(connection, keyless)).id).toMatch(/^t-[0-9a-z]{26}$/);
    expect((await createTask(connection, { ...keyless, made: 'webhook:forge:1' })).id).toBe('webhook:forge:1');
    expect((await createTask(connection, { ...keyless, direct: true })).id).toMatch(/^direct:[0-9a-f-]{36}$/);
  });

  test.each<[string, Partial<NewTask>, string]>([
    ['a key that a user may not choose', { key: 'webhook:forge:1' }, 'task.key_invalid'],
    ['a made key that no task may have', { key: undefined, made: `${'k'.repeat(63)}.r2` } as never, 'task.key_invalid'],
    ['a session that is none', { caller: callerOf({ session: 'a b' }) }, 'usage.invalid'],
    ['a scope outside of the project', { caller: callerOf({ scope: '../a' }) }, 'usage.invalid'],
    ['a run that is a path', { inRun: '../a' }, 'usage.invalid'],
    ['an input that reaches into a prototype', { input: JSON.parse('{"__proto__": 1}') }, 'input.invalid'],
  ])('with %s is refused before any request', async (_, more, code) => {
    const { connection, start } = serverWith();
    await expect(createTask(connection, wanted(more))).rejects.toMatchObject({ code });
    expect(start).not.toHaveBeenCalled();
  });
});

describe('a start whose preflight does not end in time', () => {
  test('ends if no worker has taken the task up, which then runs nothing', async () => {
    const { connection, cancel } = serverWith({ formed: { historyLength: 2 } });
    await expect(createTask(connection, wanted())).rejects.toMatchObject({ code: 'worker.unavailable' });
    expect(cancel).not.toHaveBeenCalled();
  });

  test('ends for a task that somebody wants to review first, and leaves none that waits', async () => {
    const { connection, cancel } = serverWith({ formed: { historyLength: 2 } });
    const reviewed = wanted({ review: () => {}, leaves: true, soon: true });
    await expect(createTask(connection, reviewed)).rejects.toMatchObject({ code: 'worker.unavailable' });
    expect(cancel).toHaveBeenCalledOnce();
  });

  test('goes on if a worker has begun it', async () => {
    const { connection, history, known } = serverWith({ formed: { historyLength: 3 } });
    const begun = Date.now();
    const real = history.getMockImplementation() as NonNullable<ReturnType<typeof history.getMockImplementation>>;
    history.mockImplementation(async (request) => {
      if (Date.now() - begun > 100_000)
        known.set('k', { ...known.get('k'), answer: { ...FORMED, warnings: ['slow'] } });
      return real(request);
    });
    expect(await createTask(connection, wanted())).toMatchObject({ warnings: ['slow'] });
  });

  test('ends without an answer for a caller who leaves, and for a task that has ended', async () => {
    const waiting = serverWith({ formed: { historyLength: 2 } });
    expect(await createTask(waiting.connection, wanted({ leaves: true }))).toMatchObject({ runId: 'new' });
    const cancelled = serverWith({ formed: { historyLength: 2, status: 'CANCELED' } });
    expect(await createTask(cancelled.connection, wanted())).toMatchObject({ runId: 'new', warnings: [] });
  });
});

describe('a start that is reviewed', () => {
  test('runs once the review agrees', async () => {
    const { connection, start, signals } = serverWith({ formed: { answer: FORMED } });
    const review = vi.fn();
    await createTask(connection, wanted({ review }));
    expect(start.mock.calls[0]?.[1].args?.[1]).toMatchObject({ create: true });
    expect(review).toHaveBeenCalledWith(FORMED);
    expect(signals).toEqual([['k', undefined, 'run']]);
  });

  test('waits to be run if it was only created', async () => {
    const { connection, signals } = serverWith({ formed: { answer: FORMED } });
    await createTask(connection, wanted({ review: () => {}, run: false }));
    expect(signals).toEqual([]);
  });

  test('is cancelled if the review refuses', async () => {
    const { connection, signals, cancel } = serverWith({ formed: { answer: FORMED } });
    const refused = new Error('other scripts');
    await expect(createTask(connection, wanted({ review: () => Promise.reject(refused) }))).rejects.toBe(refused);
    expect([signals, cancel.mock.calls.length]).toEqual([[], 1]);
  });
});

describe('a key that is taken', () => {
  const held = (more: Execution = {}) => ({ k: { args: [{}, {}], answer: FORMED, ...more } });
  const ENDED = { status: 'COMPLETED' };

  test.each<[string, Execution, Partial<NewTask>]>([
    ['the same request', {}, {}],
    ['the same request, which has ended', ENDED, {}],
    ['the same request, whose preflight goes on', { answer: undefined }, {}],
    ['the same request with its defaults', {}, { input: { n: 1 } }],
    ['the same request without its defaults', { args: [{ n: 1 }, {}] }, {}],
    ['the same request with the plan that it has', {}, { plan: { plan: 'of the holder' } }],
  ])('is attached to for %s', async (_, execution, more) => {
    const { connection, signals } = serverWith({ executions: held(execution) });
    const { plan } = more;
    const asked = plan ? { ...more, plan: { plan: digestOf(PLAN) } } : more;
    expect(await createTask(connection, wanted(asked))).toEqual({
      id: 'k',
      runId: 'held',
      warnings: [],
      attached: true,
    });
    expect(signals).toEqual([]);
  });

  test.each<[string, Execution, Partial<NewTask>, string]>([
    ['another input', {}, { input: { n: 2 } }, 'already belongs to signup with another input'],
    ['an input that does not fit', {}, { input: { n: 'x' } }, 'already belongs to signup with another input'],
    ['another ability', { type: 'other' }, {}, 'already belongs to other in '],
    ['another environment', { environment: 'prod', answer: undefined }, { soon: true }, 'whose request is not known'],
    ['another plan', {}, { plan: { plan: 'f'.repeat(64) } }, 'signup with another plan'],
  ])('is refused for %s', async (_, execution, more, message) => {
    const { connection } = serverWith({ executions: held(execution) });
    const refused = createTask(connection, wanted(more));
    await expect(refused).rejects.toMatchObject({
      code: 'task.key_conflict',
      message: expect.stringContaining(message),
    });
  });

  test.each<[string, Execution]>([
    ['of another project', { project: 'other' }],
    ['of a task that has ended, and never said whose it is', { project: '', ...ENDED }],
  ])('is refused if it is that %s', async (_, execution) => {
    const { connection } = serverWith({ executions: held(execution) });
    await expect(createTask(connection, wanted())).rejects.toMatchObject({ code: 'task.other_project' });
  });

  test('by a task that only waits to be run is run, in the run that was compared', async () => {
    const { connection, signals } = serverWith({ executions: held({ state: 'created' }) });
    await createTask(connection, wanted());
    expect(signals).toEqual([['k', 'held', 'run']]);
    await createTask(connection, wanted({ run: false }));
    expect(signals).toHaveLength(1);
  });

  test('by a task that waits to be run is reviewed before', async () => {
    const { connection, signals } = serverWith({ executions: held({ state: 'created' }) });
    const refused = new Error('other scripts');
    const review = vi.fn(() => Promise.reject(refused));
    await expect(createTask(connection, wanted({ review }))).rejects.toBe(refused);
    expect(review).toHaveBeenCalledWith(expect.objectContaining({ plan: PLAN }));
    expect(signals).toEqual([]);
  });
});

describe('a key whose last start was refused', () => {
  const refused = { k: { status: 'FAILED', state: 'unavailable', refusal: REFUSAL } };

  test.each([undefined, '', 'other'])('is free again, whose ever it was: %j', async (project) => {
    const executions = { k: { ...refused.k, ...(project !== undefined && { project }) } };
    const { connection, start } = serverWith({ executions, formed: { answer: FORMED } });
    expect(await createTask(connection, wanted())).toMatchObject({ runId: 'new', attached: false });
    expect(start.mock.calls.map(([, options]) => options.workflowIdReusePolicy)).toEqual([
      ...['REJECT_DUPLICATE', 'ALLOW_DUPLICATE'],
    ]);
  });

  test('is not free if a task had it before that was formed', async () => {
    const ended = [
      { runId: 'held', state: 'unavailable' },
      { runId: 'before', state: 'running' },
    ];
    const { connection, start, list } = serverWith({ executions: refused, ended });
    await expect(createTask(connection, wanted())).rejects.toMatchObject({
      ...{ code: 'task.key_conflict', message: expect.stringContaining('a task that has ended (completed)') },
    });
    expect(start).toHaveBeenCalledOnce();
    expect(list.mock.calls[0]?.[0].query).toContain("WorkflowId = 'k'");
  });
});
