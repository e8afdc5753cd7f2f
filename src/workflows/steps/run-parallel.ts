import type { Json, JsonObject } from '../../contracts/json.js';
import type { ParallelStep } from '../../contracts/plan.js';
import { Halt } from '../halt.js';
import { Halted } from '../step-failure.js';
import type { TaskRun } from '../task-run.js';
import type { Frame } from './frame.js';
import { runStep } from './run-step.js';

/**
 * Runs branches at once.
 *
 * When one fails nothing new starts, waits end, and calls under way are let end; then the first failure is reported.
 *
 * @returns the outputs by branch. Source: answers, 46.
 */
export async function runParallel(run: TaskRun, step: ParallelStep, inside: Frame): Promise<Json> {
  const halt = new Halt(inside.halt);
  let first: { error: unknown } | undefined;
  const outputs: JsonObject = {};
  await Promise.all(
    step.branches.map(async (branch) => {
      try {
        halt.check();
        const { output } = await runStep(run, branch, { ...inside, halt });
        outputs[branch.id] = output;
      } catch (error) {
        if (!(error instanceof Halted)) first ??= { error };
        halt.trip();
      }
    }),
  );
  halt.done();
  if (first) throw first.error;
  inside.halt.check();
  return Object.fromEntries(step.branches.map(({ id }) => [id, outputs[id] ?? null]));
}
