import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { OperationCall } from '../../../src/workflows/calls/schedule-call.js';
import type { TaskRun } from '../../../src/workflows/task/task-run.js';
import { Ambiguous, interpret } from '../../property/reference.js';
import { runTree, type TaskWorkflow } from '../../property/run-tree.js';
import type { Account } from '../../property/script.js';
import { CONSTRUCTS, constructsOf, type Tree, trees } from '../../property/trees.js';

vi.mock('@temporalio/workflow', async () => (await import('../../property/fake-workflow.js')).fakeWorkflow);

const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 200);
/**
 * The same trees each time, so that results depend on a change and not on chance; `npm run test:property`
 * uses others.
 */
const SEED = process.env['FC_SEED'] === 'random' ? {} : { seed: Number(process.env['FC_SEED'] ?? 20261122) };

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterAll(() => {
  vi.useRealTimers();
});

/** Undefined if the documents do not define what comes first. */
function expected({ plan, input, script }: Tree): Account | undefined {
  try {
    return interpret(plan, input, script);
  } catch (error) {
    if (error instanceof Ambiguous) return undefined;
    throw error;
  }
}

/** Runs trees with the workflow, with or without a planted bug, and compares the outcomes. */
function agreement(task: TaskWorkflow, onAmbiguous: () => void = () => {}) {
  return fc.asyncProperty(trees, async (tree) => {
    const account = expected(tree);
    if (account) expect(await runTree(task, tree)).toEqual(account);
    else onAmbiguous();
  });
}

describe('random step trees', () => {
  test('run like the reference: status, output, error, effects and steps', { timeout: 300_000 }, async () => {
    const { task } = await import('../../../src/workflows/task.js');
    let ambiguous = 0;
    const property = agreement(task, () => {
      ambiguous += 1;
    });
    await fc.assert(property, { numRuns: RUNS, ...SEED });
    expect(ambiguous).toBeLessThan(RUNS / 10);
  });

  test('contain each construct in at least one of ten', { timeout: 60_000 }, () => {
    const counts = new Map<string, number>();
    const sample = fc.sample(trees, { numRuns: 1000, ...SEED });
    for (const tree of sample) for (const name of constructsOf(tree)) counts.set(name, (counts.get(name) ?? 0) + 1);
    const rare = CONSTRUCTS.filter((name) => (counts.get(name) ?? 0) < 100);
    expect(rare.map((name) => `${name}: ${counts.get(name) ?? 0}`)).toEqual([]);
  });
});

describe('a planted bug is caught:', { timeout: 300_000 }, () => {
  afterEach(() => {
    vi.doUnmock('../../../src/workflows/steps/run-undo.js');
    vi.doUnmock('../../../src/workflows/steps/run-cleanup.js');
    vi.doUnmock('../../../src/workflows/calls/call-operation.js');
    vi.doUnmock('../../../src/workflows/loops/last-turns.js');
  });

  const isCaught = async (numRuns = 2000): Promise<boolean> => {
    vi.resetModules();
    const { task } = await import('../../../src/workflows/task.js');
    const { failed, errorInstance } = await fc.check(agreement(task), { numRuns, endOnFailure: true, ...SEED });
    return failed && String(errorInstance).includes('deeply equal');
  };

  test('calls taken back in the order in which they were made', async () => {
    vi.doMock('../../../src/workflows/steps/run-undo.js', async (importOriginal) => {
      const { runUndo } = await importOriginal<typeof import('../../../src/workflows/steps/run-undo.js')>();
      return {
        runUndo: (run: TaskRun) => {
          for (const entry of Object.values(run.steps.progress)) if (entry.sequence) entry.sequence *= -1;
          return runUndo(run);
        },
      };
    });
    expect(await isCaught()).toBe(true);
  });

  test('an omitted clean-up', async () => {
    vi.doMock('../../../src/workflows/steps/run-cleanup.js', () => ({ runCleanup: async () => undefined }));
    expect(await isCaught()).toBe(true);
  });

  test('twice as many attempts', async () => {
    vi.doMock('../../../src/workflows/calls/call-operation.js', async (importOriginal) => {
      const { callOperation } = await importOriginal<typeof import('../../../src/workflows/calls/call-operation.js')>();
      return {
        callOperation: (run: TaskRun, call: OperationCall) => {
          const retry = call.retry && { ...call.retry, attempts: call.retry.attempts * 2 };
          return callOperation(run, { ...call, retry });
        },
      };
    });
    expect(await isCaught()).toBe(true);
  });

  test('a step that does not see its own last turn', async () => {
    vi.doMock('../../../src/workflows/loops/last-turns.js', async (importOriginal) => ({
      ...(await importOriginal<typeof import('../../../src/workflows/loops/last-turns.js')>()),
      withOwnTurn: (_: unknown, frame: unknown) => frame,
    }));
    expect(await isCaught()).toBe(true);
  });

  test('nothing is caught without a bug', async () => {
    expect(await isCaught(RUNS)).toBe(false);
  });
});
