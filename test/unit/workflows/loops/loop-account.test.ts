import { expect, test } from 'vitest';
import { keptProgress } from '../../../../src/activities/task/progress-for-retry.js';
import type { FailureEnd, ItemFailure } from '../../../../src/contracts/loops.js';
import type { ForeachStep, PlanStep } from '../../../../src/contracts/plan.js';
import type { Progress, StepProgress } from '../../../../src/contracts/task.js';
import { listSteps, stepsOfTurn } from '../../../../src/rules/steps/step-tree.js';
import { addFailure, noteDone, noteFailed, openAccount } from '../../../../src/workflows/loops/loop-account.js';
import { foldTurn } from '../../../../src/workflows/loops/turn-counts.js';
import { summarize } from '../../../../src/workflows/view/summary.js';
import { examplePlan } from '../../rules/example-plan.js';

const failure = (item: number, status: FailureEnd = 'failed'): ItemFailure => ({
  item,
  status,
  path: `hosts/${item}/check`,
  attempts: 1,
});
const steps: PlanStep[] = [
  {
    id: 'hosts',
    verb: 'foreach',
    foreach: { list: [] },
    as: 'host',
    max_parallel: 1,
    steps: [{ id: 'check', verb: 'call', call: 'db.write', with: {} }],
  },
];
const rows = (progress: Progress) => summarize(examplePlan(steps), listSteps(steps), progress, true);

test('among too many failures, an unknown outcome replaces a less severe one', () => {
  const many = Array.from({ length: 30 }, (_, item) => failure(item)).reduce<ItemFailure[]>(addFailure, []);
  expect(many).toHaveLength(20);
  const with20 = addFailure(many, failure(99, 'unknown'));
  expect(with20).toHaveLength(20);
  expect(with20.at(-1)).toMatchObject({ item: 99, status: 'unknown' });
  expect(addFailure(with20, failure(100, 'cancelled'))).toEqual(with20);
});

test('the items of an earlier run count as done, and the rest is counted from here', () => {
  const carried: StepProgress = {
    status: 'running',
    items: { 0: null, 1: null },
    loop: { ended: { succeeded: 2 } },
    turns: { 'hosts/*/check': { turns: 2, attempts: 3, duration_ms: 20, status: 'succeeded' } },
  };
  const account = openAccount(carried, 4);
  noteDone(account, 2, false);
  noteFailed(account, failure(3));
  const [hosts, check] = rows({ hosts: { ...carried, status: 'failed' } });
  expect(hosts?.items).toMatchObject({ total: 4, succeeded: 3, failed: 1 });
  expect(check).toMatchObject({ turns: 2, attempts: 3, duration_ms: 20 });
});

test('a loop that never began reports nothing about its items', () => {
  const [hosts] = rows({ hosts: { status: 'skipped' } });
  expect(hosts).not.toHaveProperty('items');
});

test('a task that takes over counts the items that are done, and not those that failed before', () => {
  const loop: StepProgress = { status: 'running' };
  const account = openAccount(loop, 2);
  loop.items = { 0: 'a' };
  noteDone(account, 0, false);
  noteFailed(account, failure(1));
  const from = { started_at: '2026-01-01T00:00:00.000Z', finished_at: '2026-01-01T00:00:01.000Z' };
  const progress: Progress = {
    hosts: { ...loop, status: 'failed' },
    'hosts/0/check': { status: 'succeeded', attempts: 1, ...from },
    'hosts/1/check': { status: 'failed', attempts: 3, ...from },
  };
  const entry = progress.hosts as StepProgress;
  const inner = stepsOfTurn(steps[0] as ForeachStep);
  foldTurn(progress, entry, { path: 'hosts/0', inner, nameOf: () => ({ item: 0 }) });
  foldTurn(progress, account, { path: 'hosts/1', inner, nameOf: () => ({ item: 1 }), named: ['hosts/1/check'] });
  expect(rows(progress)[1]).toMatchObject({ turns: 2, attempts: 4, failed_turns: 1, duration_ms: 1000 });
  const tree = { steps, finally: [] };
  const { progress: kept } = keptProgress({ plan: tree, progress }, tree, { from: null });
  const next = openAccount(kept.hosts as StepProgress, 2);
  noteDone(next, 1, false);
  const [hosts, check] = rows({ hosts: { ...(kept.hosts as StepProgress), status: 'succeeded' } });
  expect(hosts?.items).toEqual({ verb: 'foreach', total: 2, succeeded: 2 });
  expect(check).toMatchObject({ turns: 1, attempts: 1, duration_ms: 1000, status: 'succeeded' });
});

test('concurrent turns take the time from the first start to the last end, not their sum', () => {
  const at = (from: number, to: number) => ({
    started_at: new Date(from).toISOString(),
    finished_at: new Date(to).toISOString(),
  });
  const [, check] = rows({
    hosts: { status: 'succeeded' },
    'hosts/0/check': { status: 'succeeded', attempts: 1, ...at(0, 100) },
    'hosts/1/check': { status: 'succeeded', attempts: 1, ...at(10, 90) },
    'hosts/2/check': { status: 'succeeded', attempts: 1, ...at(20, 120) },
  });
  expect(check?.duration_ms).toBe(120);
});

test('5,000 items that all fail leave a short result', () => {
  const entry: StepProgress = { status: 'failed' };
  const progress: Progress = { hosts: entry };
  const account = openAccount(entry, 5000);
  const inner = stepsOfTurn(steps[0] as ForeachStep);
  for (let item = 0; item < 5000; item += 1) {
    const path = `hosts/${item}`;
    const named = [`${path}/check`];
    progress[`${path}/check`] = { status: 'failed', attempts: 3, error: { code: 'mine', message: 'x'.repeat(3000) } };
    noteFailed(account, { ...failure(item), label: 'y'.repeat(80), error: { code: 'mine', message: 'x'.repeat(300) } });
    foldTurn(progress, account, { path, inner, nameOf: () => ({ item }), named });
  }
  expect(Object.keys(progress)).toEqual(['hosts']);
  const [hosts, check] = rows(progress);
  expect(hosts).toMatchObject({ items: { total: 5000, succeeded: 0, failed: 5000 }, failures_left_out: 4980 });
  expect(check).toMatchObject({ turns: 5000, attempts: 15_000, failed_turns: 5000 });
  expect(JSON.stringify([hosts, check]).length).toBeLessThan(16_000);
});
