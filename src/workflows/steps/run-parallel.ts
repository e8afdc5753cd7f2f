import type { Json } from '../../contracts/json.js';
import type { ParallelStep } from '../../contracts/plan.js';
import { nameOfStep } from '../../rules/step-name.js';
import type { TaskRun } from '../task/task-run.js';
import { evaluateCount } from './evaluate.js';
import { type Frame, frameInside } from './frame.js';
import { recallStep } from './recall-step.js';
import { runMany } from './run-many.js';

/** Runs branches at once. @returns the outputs by branch. Source: docs/workflow-language.md#calls. */
export async function runParallel(run: TaskRun, step: ParallelStep, path: string, frame: Frame): Promise<Json> {
  const { branches, max_parallel, on_failure: onFailure } = step;
  const most = max_parallel === undefined ? branches.length : evaluateCount(run, max_parallel, frame);
  const outputs = new Map<string, Json>();
  for (const index of run.progress[path]?.failed?.items ?? []) {
    const branch = branches[index];
    if (branch) recallStep(run, branch, `${path}/${nameOfStep(branch.id)}`);
  }
  await runMany(run, path, branches.length, { most, onFailure }, frameInside(frame, path), async (index, inside) => {
    const branch = branches[index] as (typeof branches)[number];
    const { output } = await inside.runStep(run, branch, inside);
    outputs.set(nameOfStep(branch.id), output);
  });
  return Object.fromEntries(branches.map(({ id }) => [nameOfStep(id), outputs.get(nameOfStep(id)) ?? null]));
}
