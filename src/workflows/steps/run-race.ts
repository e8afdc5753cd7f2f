import { CancellationScope } from '@temporalio/workflow';
import type { Json } from '../../contracts/json.js';
import type { PlanStep, RaceStep } from '../../contracts/plan.js';
import { Halted } from '../step-failure.js';
import type { TaskRun } from '../task-run.js';
import { type Frame, frameInside } from './frame.js';
import { keepUnknown } from './run-many.js';
import { runStep } from './run-step.js';

/** How one branch ended: with an output, with an error, or without having run. */
type BranchEnd = { id: string; output: Json } | { id: string; error: unknown } | undefined;

/**
 * Runs branches at once; the first to end wins, whether it succeeded or failed, and the others are cancelled.
 *
 * A branch whose `if` is false takes no part. Source: answers, "race".
 *
 * @returns the name of the winner and its output; nulls when no branch took part.
 */
export async function runRace(run: TaskRun, { branches }: RaceStep, path: string, frame: Frame): Promise<Json> {
  const inside = frameInside(frame, path);
  let first: BranchEnd;
  const scopes = branches.map(() => new CancellationScope());
  const ends = await Promise.all(
    branches.map(async (branch, index) => {
      const scope = scopes[index] as CancellationScope;
      const end = await scope.run(() => runBranch(run, branch, inside));
      if (first || !end || isHalted(end)) return end;
      first = end;
      for (const other of scopes) if (other !== scope) other.cancel();
      return end;
    }),
  );
  const winner = first as BranchEnd;
  for (const end of ends) if (end && end !== winner && 'error' in end) keepUnknown(run, end.error);
  if (!winner) frame.halt.check();
  if (winner && 'error' in winner) throw winner.error;
  return winner ? { winner: winner.id, output: winner.output } : { winner: null, output: null };
}

async function runBranch(run: TaskRun, branch: PlanStep, inside: Frame): Promise<BranchEnd> {
  const { id } = branch;
  try {
    const { ran, output } = await runStep(run, branch, inside);
    return ran ? { id, output } : undefined;
  } catch (error) {
    return { id, error };
  }
}

function isHalted(end: BranchEnd): boolean {
  return end !== undefined && 'error' in end && end.error instanceof Halted;
}
