import { CancellationScope } from '@temporalio/workflow';
import type { Json } from '../../contracts/json.js';
import type { PlanStep, RaceStep } from '../../contracts/plan.js';
import { nameOfStep } from '../../rules/steps/turn-paths.js';
import { type Cause, causeOf } from '../calls/lost-calls.js';
import { type Frame, frameInside } from './frame.js';
import { BranchStopped, isStepFailure, isUnknown } from './step-failure.js';

/** How a branch ended: with an output or an error; undefined if it did not run. */
type BranchEnd = { id: string; output: Json } | { id: string; error: unknown } | undefined;

/**
 * Runs branches concurrently; the first to end wins, even by failing, and the others are cancelled. A branch whose
 * `if` is false takes no part. Cutting a branch that must not be cut fails the race with `outcome.unknown`, whichever
 * branch won. Source: docs/workflow-language.md#parallel-steps-and-races; docs/architecture.md#the-way-of-a-task.
 * @returns the winner's name and output; nulls if no branch took part.
 */
export async function runRace({ id, branches }: RaceStep, path: string, frame: Frame): Promise<Json> {
  const { run } = frame;
  const inside = frameInside(frame, path);
  let first: BranchEnd;
  let cause: Cause | undefined;
  const outer = CancellationScope.current();
  const scopes = branches.map(() => new CancellationScope());
  const ends = await Promise.all(
    branches.map(async (branch, index) => {
      const scope = scopes[index] as CancellationScope;
      const end = await scope.run(() => runBranch(branch, inside));
      if (first || !end || isBranchStopped(end)) return end;
      first = end;
      if (!outer.consideredCancelled) cause = causeOfEnd(end, id, path);
      for (const other of scopes) if (other !== scope) other.cancel();
      return end;
    }),
  );
  const winner = first as BranchEnd;
  const losers = ends.flatMap((end) => (end && end !== winner && 'error' in end ? [end.error] : []));
  if (cause) for (const error of losers) run.lost.explain(error, cause);
  const ended = [winner && 'error' in winner && winner.error, ...losers];
  const lost = ended.find(isUnknown);
  for (const error of losers) if (error !== lost) run.warnings.addUnknown(error);
  if (lost) throw lost;
  if (!winner) frame.branchStop.check();
  if (winner && 'error' in winner) throw winner.error;
  return winner ? { winner: winner.id, output: winner.output } : { winner: null, output: null };
}

/** Why the branches of a race were cut: one was faster, or had failed. */
function causeOfEnd(end: NonNullable<BranchEnd>, race: string, path: string): Cause {
  if ('error' in end && isStepFailure(end.error)) return causeOf(end.error.problem);
  return { code: 'race.lost', message: `The branch ${end.id} won the race ${race}`, step: race, path };
}

async function runBranch(branch: PlanStep, inside: Frame): Promise<BranchEnd> {
  const id = nameOfStep(branch.id);
  try {
    const { ran, output } = await inside.runStep(branch, inside);
    return ran ? { id, output } : undefined;
  } catch (error) {
    return { id, error };
  }
}

function isBranchStopped(end: BranchEnd): boolean {
  return end !== undefined && 'error' in end && end.error instanceof BranchStopped;
}
