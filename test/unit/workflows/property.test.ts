import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Ambiguous, interpret } from '../../property/reference.js';
import { runTree } from '../../property/run-tree.js';
import type { Account } from '../../property/script.js';
import { CONSTRUCTS, constructsOf, type Tree, trees } from '../../property/trees.js';

vi.mock('@temporalio/workflow', async () => (await import('../../property/fake-workflow.js')).fakeWorkflow);

const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 200);
/** Printed with every failure; `FC_SEED` runs the same trees again. */
const SEED = process.env['FC_SEED'] === undefined ? {} : { seed: Number(process.env['FC_SEED']) };

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterAll(() => {
  vi.useRealTimers();
});

/** Undefined where the texts do not say what comes first. */
function expected({ plan, input, script }: Tree): Account | undefined {
  try {
    return interpret(plan, input, script);
  } catch (error) {
    if (error instanceof Ambiguous) return undefined;
    throw error;
  }
}

describe('random step trees', () => {
  test('run as the reference says: status, output, error, effects and steps', { timeout: 300_000 }, async () => {
    const { task } = await import('../../../src/workflows/task.js');
    let ambiguous = 0;
    await fc.assert(
      fc.asyncProperty(trees, async (tree) => {
        const account = expected(tree);
        if (!account) {
          ambiguous += 1;
          return;
        }
        expect(await runTree(task, tree)).toEqual(account);
      }),
      { numRuns: RUNS, ...SEED },
    );
    expect(ambiguous).toBeLessThan(RUNS / 50);
  });

  test('have each construct in at least one of ten', () => {
    const counts = new Map<string, number>();
    const sample = fc.sample(trees, { numRuns: 1000, ...SEED });
    for (const tree of sample) for (const name of constructsOf(tree)) counts.set(name, (counts.get(name) ?? 0) + 1);
    const rare = CONSTRUCTS.filter((name) => (counts.get(name) ?? 0) < 100);
    expect(rare.map((name) => `${name}: ${counts.get(name) ?? 0}`)).toEqual([]);
  });
});
