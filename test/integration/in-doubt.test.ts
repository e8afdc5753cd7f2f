import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cancelTask, explainTask, retryTask } from '../../src/client/index.js';
import type { TaskResult } from '../../src/contracts/task.js';
import { retryBy } from '../fixtures/caller.js';
import { LONG } from '../fixtures/extent.js';
import { type Flows, startFlows, statuses } from '../fixtures/flows.js';
import {
  ASKS,
  type Manner,
  type PaymentService,
  paymentProject,
  startPayments,
} from '../fixtures/servers/payment-service.js';

let flows: Flows;
let service: PaymentService;

beforeAll(async () => {
  service = await startPayments();
  flows = await startFlows({
    ...paymentProject(service.origin),
    'registry/hooks/PreAbilityCall.yaml': `
hooks:
  - { id: hushes, blocking: true, match: { abilities: [pay.find] }, handler: { expression: { deny_if: "input.key.contains('hush')", reason: Not asked. } } }
`,
  });
});
afterAll(async () => {
  await flows.project.stop();
  await service.stop();
});

const pay = (order: string, manner: Manner, key = 'pay.make') =>
  `{ id: pay, call: ${key}, with: { order: ${order}, manner: ${manner} } }`;
const steps = (order: string, manner: Manner, more = '') =>
  flows.run(`steps: [${pay(order, manner)}${more}]\noutput: "\${{ steps.pay.output }}"`);
const ended = async (id: string): Promise<TaskResult> => {
  const end = await flows.project.wait(id);
  if (end.kind !== 'ended') throw new Error(end.kind);
  return end.result;
};

describe('a call whose outcome is lost', () => {
  test('and that took place has the output that was found, and its task goes on', async () => {
    const result = await steps('a1', 'loses', ', { id: next, let: { was: "${{ steps.pay.output.payment }}" } }');
    expect(result).toMatchObject({ status: 'succeeded', output: { payment: expect.any(Number) } });
    expect(statuses(result)).toEqual({ pay: 'succeeded', next: 'succeeded', 'pay.unknown': 'succeeded' });
    expect(result.warnings).toEqual([
      expect.stringMatching(/^The outcome of pay was lost, and pay\.find says that it took place/),
    ]);
    expect([service.paid('a1'), service.asked('a1')]).toEqual([1, 1]);
  });

  test('and that did not take place is made again', async () => {
    const result = await steps('b1', 'drops');
    expect(result).toMatchObject({ status: 'succeeded', output: { payment: expect.any(Number) } });
    expect(result.steps.find(({ path }) => path === 'pay')).toMatchObject({ attempts: 2 });
    expect([service.paid('b1'), service.asked('b1')]).toEqual([1, 1]);
  });

  test('and that never takes place fails after its attempts, as what was seen last', async () => {
    const result = await steps('c1', 'breaks');
    expect(result).toMatchObject({ status: 'failed', error: { code: 'unavailable.connection', step: 'pay' } });
    expect(result.error?.message).toMatch(/pay\.find says that it did not take place$/);
    expect([service.paid('c1'), service.asked('c1')]).toEqual([0, 3]);
    const once = await flows.run(
      `steps: [{ id: pay, call: pay.make, retry: { attempts: 1 }, with: { order: c2, manner: breaks } }]`,
    );
    expect([once.status, service.asked('c2')]).toEqual(['failed', 1]);
  });

  test('is asked about until it is known', async () => {
    expect(await steps('d1', 'pending')).toMatchObject({ status: 'succeeded' });
    expect([service.paid('d1'), service.asked('d1')]).toEqual([1, 3]);
  });

  test('because it was too slow is not made again', async () => {
    expect(await steps('e1', 'slow')).toMatchObject({ status: 'succeeded' });
    expect([service.paid('e1'), service.asked('e1')]).toEqual([1, 1]);
  });

  test('stays unknown if nobody can tell, with what was asked and answered', async () => {
    const result = await steps('f1', 'lies');
    expect(result).toMatchObject({
      status: 'unknown',
      error: { code: 'outcome.unknown', details: { asked: { call: 'pay.find', times: 3 } } },
    });
    expect(result.error?.message).toMatch(/pay\.find was asked 3 times and could not tell: \{"status":"pending"\}$/);
    expect(result.error?.suggestion).toContain(`ability task reconcile ${result.task_key}`);
    expect([service.paid('f1') <= 1, service.asked('f1')]).toEqual([true, 3]);
    const story = await explainTask(flows.project.connection, result.task_key as string);
    const questions = story.steps.find(({ path }) => path === 'pay.unknown');
    expect(questions).toMatchObject({ call: 'pay.find', tries: [{}, { round: 2 }, { round: 3 }] });
  });

  test('of the ability itself is asked about, too', async () => {
    const result = await flows.project.run('pay.make', { order: 'g1', manner: 'loses' });
    expect(result).toMatchObject({ status: 'succeeded', output: { payment: expect.any(Number) } });
    expect(statuses(result)).toEqual({ run: 'succeeded', 'run.unknown': 'succeeded' });
  });

  test('in a loop is asked about by its own key', async () => {
    const result = await flows.run(
      `steps: [{ id: all, foreach: [h1, h2, h3], as: order, max_parallel: 3, steps: [{ id: pay, call: pay.make, with: { order: "\${{ order }}", manner: loses } }] }]`,
    );
    expect(result).toMatchObject({ status: 'succeeded' });
    expect(['h1', 'h2', 'h3'].map((order) => [service.paid(order), service.asked(order)])).toEqual(
      Array(3).fill([1, 1]),
    );
  });

  test('because the task was cancelled is asked about before the task ends', LONG, async () => {
    const { id } = await flows.project.create(flows.define(`steps: [${pay('i1', 'slow')}, { id: next, let: {} }]`));
    await expect.poll(() => service.paid('i1'), { timeout: 20_000 }).toBe(1);
    await cancelTask(flows.project.connection, id);
    const result = await ended(id);
    expect(result).toMatchObject({ status: 'cancelled' });
    expect(statuses(result)).toMatchObject({ pay: 'succeeded', next: 'skipped' });
  });

  test('stays unknown if a guard denies the question', async () => {
    const { id } = await flows.project.create(flows.define(`steps: [${pay('j1', 'loses')}]`), {}, { key: 'hush' });
    const result = await ended(id);
    expect(result).toMatchObject({ status: 'unknown', error: { message: expect.stringContaining('guard.denied') } });
    expect([service.paid('j1'), service.asked('j1')]).toEqual([1, 0]);
  });

  test('stays unknown if what is found breaks the contract of the call', async () => {
    flows.project.write(paymentProject(service.origin, { unknown: { ...ASKS, output: { payment: 'x' } } }));
    const result = await steps('k1', 'loses');
    flows.project.write(paymentProject(service.origin));
    expect(result).toMatchObject({
      status: 'unknown',
      error: { message: expect.stringContaining('api.output_invalid') },
    });
  });
});

describe('a task that lost a call', () => {
  const reconcile = (id: string) =>
    retryTask(flows.project.connection, id, { ...retryBy(), run: true, reconcile: true }).then((made) =>
      ended(made.id),
    );

  test('is reconciled: what took place counts, what did not is made, and what is not known stays unknown', async () => {
    const [paid, unpaid] = await Promise.all([steps('odd', 'lies'), steps('even', 'lies')]);
    expect([paid.status, unpaid.status]).toEqual(['unknown', 'unknown']);
    const again = await reconcile(paid.task_key as string);
    expect(again).toMatchObject({ status: 'unknown', error: { details: { asked: { times: 3 } } } });
    const before = service.requests();
    service.becomeHonest();
    expect(await reconcile(again.task_key as string)).toMatchObject({
      status: 'succeeded',
      output: { payment: expect.any(Number) },
    });
    expect(service.requests()).toBe(before);
    // It is made again, and never paid.
    const made = await reconcile(unpaid.task_key as string);
    expect(made).toMatchObject({ status: 'failed', error: { code: 'unavailable.connection' } });
    expect(service.requests()).toBe(before + 3);
    expect([service.paid('odd'), service.paid('even')]).toEqual([1, 0]);
  });

  test('and cannot be asked about is not reconciled', async () => {
    const result = await flows.run(`steps: [${pay('m1', 'loses', 'pay.blind')}]`);
    expect(result).toMatchObject({ status: 'unknown' });
    await expect(reconcile(result.task_key as string)).rejects.toMatchObject({ code: 'task.undecided' });
    const done = await flows.run(`steps: [{ id: a, let: {} }]`);
    await expect(reconcile(done.task_key as string)).rejects.toMatchObject({ code: 'task.not_in_doubt' });
  });
});
