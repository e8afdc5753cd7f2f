import { CancellationScope, CancelledFailure, condition, workflowInfo } from '@temporalio/workflow';
import { BranchStopped } from '../steps/step-failure.js';
import type { TaskLifecycle } from './lifecycle.js';
import type { BranchStop } from './stop-branches.js';

/** A call may succeed after its cancellation; no further steps may start. @throws cancellation. */
export function refuseCancelled(): void {
  if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('Cancelled before the step began');
}

/**
 * Runs before every step except clean-ups: a paused task starts nothing, and one with a long history continues as
 * a new run. @throws BranchStopped when this run winds up.
 */
export function beforeStep(life: TaskLifecycle, branchStop: BranchStop): Promise<void> | undefined {
  branchStop.check();
  if (life.paused) return branchStop.wait(() => condition(() => !life.paused)).then(() => beforeStep(life, branchStop));
  if (!workflowInfo().continueAsNewSuggested || isPutOff(life)) return undefined;
  return windUp(life, branchStop);
}

/** Forces a new run: a server warns at 10,240 events, and ends a run at 51,200. */
const MAX_EVENTS = 20_000;

/** In bytes: a server warns at 10 MiB, and ends a run at 50 MiB. */
const MAX_SIZE = 20 * 1024 * 1024;

/** Winding up would wait for called tasks, perhaps for days, and start nothing else meanwhile. */
function isPutOff({ pendingTasks }: TaskLifecycle): boolean {
  const { historyLength, historySize } = workflowInfo();
  return pendingTasks > 0 && historyLength < MAX_EVENTS && historySize < MAX_SIZE;
}

/**
 * Ends this run once no call is under way, so that the task continues as a new one. Until then failures, won
 * races, timeouts and cancellation have their usual effect, clean-ups included, so no decision is pending: each
 * step has ended or will continue. @throws BranchStopped;
 * cancellation.
 */
async function windUp(life: TaskLifecycle, branchStop: BranchStop): Promise<never> {
  let seen: number;
  do {
    seen = life.changes;
    await branchStop.wait(() => untilQuiet(life));
    // Code that woke up at the same moment may have begun or decided something.
  } while (life.changes !== seen || life.pendingWork > 0);
  life.rollingOver = true;
  branchStop.tripAll();
  throw new BranchStopped();
}

/** A condition is first evaluated when created; only the second evaluation sees everything at rest. */
function untilQuiet(life: TaskLifecycle): Promise<void> {
  let isFirst = true;
  return condition(() => {
    const atRest = !isFirst && life.pendingWork === 0;
    isFirst = false;
    return atRest;
  });
}
