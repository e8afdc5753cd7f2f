import { expect, test } from 'vitest';
import type { ForeachStep, PlanStep } from '../../../../src/contracts/plan.js';
import type { Progress } from '../../../../src/contracts/task.js';
import { listSteps, stepsOfTurn } from '../../../../src/rules/steps/step-tree.js';
import { foldTurn } from '../../../../src/workflows/loops/turn-counts.js';
import { summarize } from '../../../../src/workflows/view/summary.js';
import { examplePlan } from '../../rules/example-plan.js';

const call = (id: string): PlanStep => ({ id, verb: 'call', call: 'db.write', with: {} });
const steps: PlanStep[] = [
  call('seed'),
  { id: 'each', verb: 'foreach', foreach: { list: [1, 2] }, as: 'x', max_parallel: 1, steps: [call('deploy')] },
];
const at = (from: number, to: number) => ({
  started_at: new Date(from).toISOString(),
  finished_at: new Date(to).toISOString(),
});
const summary = (progress: Progress, isEnded = true) =>
  summarize(examplePlan(steps), listSteps(steps), progress, isEnded);

test('a loop has one row per step: its turns, attempts and time in total, with the most informative status', () => {
  const rows = summary({
    seed: { status: 'succeeded', attempts: 1, ...at(0, 5) },
    each: { status: 'failed' },
    'each/0/deploy': { status: 'succeeded', attempts: 1, ...at(0, 10) },
    'each/1/deploy': { status: 'failed', attempts: 3, ...at(10, 40) },
  });
  expect(rows).toMatchObject([
    { id: 'seed', status: 'succeeded', attempts: 1, duration_ms: 5 },
    { id: 'each', status: 'failed' },
    { id: 'deploy', path: 'each/*/deploy', call: 'db.write', status: 'failed', turns: 2, attempts: 4, duration_ms: 40 },
  ]);
});

test('folded turns count like those that are still present', () => {
  const loop = { status: 'running' } as const;
  const progress: Progress = { each: { ...loop }, 'each/0/deploy': { status: 'succeeded', attempts: 2, ...at(0, 10) } };
  foldTurn(progress, progress.each as Progress[string], {
    path: 'each/0',
    inner: stepsOfTurn(steps[1] as ForeachStep),
    nameOf: () => ({ item: 0 }),
  });
  expect(Object.keys(progress)).toEqual(['each']);
  progress['each/1/deploy'] = { status: 'succeeded', attempts: 1, ...at(10, 15) };
  expect(summary(progress)[2]).toMatchObject({ turns: 2, attempts: 3, duration_ms: 15, status: 'succeeded' });
});

test('a step names the task that it called; a loop does not, since each turn may have called one', () => {
  const rows = summary({
    seed: { status: 'running', child: 't-1/seed' },
    each: { status: 'running' },
    'each/0/deploy': { status: 'running', child: 't-1/each/0/deploy' },
  });
  expect(rows.map(({ path, task }) => [path, task])).toEqual([
    ['seed', 't-1/seed'],
    ['each', undefined],
    ['each/*/deploy', undefined],
  ]);
});

test('what did not run is pending, and skipped once the task has ended', () => {
  expect(summary({}, false).map(({ status }) => status)).toEqual(['pending', 'pending', 'pending']);
  expect(summary({}).map(({ status }) => status)).toEqual(['skipped', 'skipped', 'skipped']);
});

test('an undo call has a row of its own once it has begun', () => {
  const rows = summary({
    seed: { status: 'succeeded' },
    'seed.undo': { status: 'succeeded', call: 'db.delete', attempts: 1 },
    'each/0/deploy.undo': { status: 'pending', call: 'db.delete' },
  });
  expect(rows).toHaveLength(4);
  expect(rows[3]).toMatchObject({ id: 'seed.undo', path: 'seed.undo', call: 'db.delete', status: 'succeeded' });
});
