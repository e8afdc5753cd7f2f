import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { PlanStep } from '../../../src/contracts/plan.js';
import { isStepEnd } from '../../../src/contracts/states.js';
import { allSteps } from '../../../src/rules/steps/step-tree.js';
import { runTree, runTreeInRuns } from '../../property/run-tree.js';
import { inOrder } from '../../property/script.js';
import { type Tree, trees } from '../../property/trees.js';

vi.mock('@temporalio/workflow', async () => (await import('../../property/fake-workflow.js')).fakeWorkflow);

const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 300);
const SEED = process.env['FC_SEED'] === 'random' ? {} : { seed: Number(process.env['FC_SEED'] ?? 20261122) };

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterAll(() => {
  vi.useRealTimers();
});

const stepsOf = ({ plan }: Tree): PlanStep[] => allSteps(plan).map(({ step }) => step);

/**
 * Whether nothing ever runs next to a step that waits for its run to end.
 *
 * Groups that are tried again are excluded: within one run an attempt still sees outputs of the previous attempt.
 */
function isOneByOne(tree: Tree): boolean {
  return stepsOf(tree).every((step) => {
    if (step.verb === 'steps' && step.retry) return false;
    if (step.verb === 'parallel' || step.verb === 'race') return false;
    return step.verb !== 'foreach' || step.max_parallel === 1;
  });
}

test('a sequential tree of steps has the same outcome in one run and in many', { timeout: 300_000 }, async () => {
  const { task } = await import('../../../src/workflows/task.js');
  let inMany = 0;
  const property = fc.asyncProperty(trees.filter(isOneByOne), fc.integer({ min: 1, max: 3 }), async (tree, calls) => {
    const whole = await runTree(task, tree);
    const { result, runs, world } = await runTreeInRuns(task, tree, calls);
    if (runs > 1) inMany += 1;
    const path = (result.error?.details as { path?: string } | undefined)?.path ?? null;
    const { error = null } = result;
    expect({
      status: result.status,
      output: result.output,
      error: error && { code: error.code, step: error.step ?? null, path },
      effects: inOrder(world.effects),
      steps: Object.fromEntries(result.steps.map((step) => [step.path ?? step.id, step.status])),
    }).toEqual(whole);
  });
  await fc.assert(property, { numRuns: RUNS, ...SEED });
  expect(inMany).toBeGreaterThan(RUNS / 10);
});

test('nothing is done twice or left open, whatever is running when a run winds up', {
  timeout: 300_000,
}, async () => {
  const { task } = await import('../../../src/workflows/task.js');
  let inMany = 0;
  const property = fc.asyncProperty(trees, fc.integer({ min: 1, max: 4 }), async (tree, calls) => {
    const { result, runs, world } = await runTreeInRuns(task, tree, calls);
    if (runs > 1) inMany += 1;
    expect(result.error?.code).not.toBe('internal.error');
    expect(result.steps.filter(({ status }) => !isStepEnd(status as never))).toEqual([]);
    expect((result.approvals ?? []).filter(({ status }) => status === 'open')).toEqual([]);
    const tries = stepsOf(tree).some((step) => step.verb === 'steps' && step.retry);
    if (!tries) expect([...world.made].filter(([, count]) => count > 1)).toEqual([]);
  });
  await fc.assert(property, { numRuns: RUNS, ...SEED });
  expect(inMany).toBeGreaterThan(RUNS / 10);
});
