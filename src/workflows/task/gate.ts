import { CancellationScope, CancelledFailure, condition, patched, workflowInfo } from '@temporalio/workflow';
import { isSinceEngine2 } from '../../rules/engine.js';
import type { Halt } from './halt.js';
import type { TaskRun } from './task-run.js';
import { windUp } from './wind-up.js';

/** A call may end well although it was asked to stop; what comes after it is not wanted any more. @throws cancellation. */
export function refuseCancelled(): void {
  if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('Cancelled before the step began');
}

/**
 * Stands before every step but those of clean-ups: a paused task starts nothing, and one with a long history goes on as a
 * new run.
 *
 * @throws Halted when this run winds up. Source: docs/architecture.md#what-lives-where-in-temporal.
 */
export function passGate(run: TaskRun, halt: Halt): Promise<void> | undefined {
  halt.check();
  if (run.paused) return halt.wait(() => condition(() => !run.paused)).then(() => passGate(run, halt));
  if (!workflowInfo().continueAsNewSuggested || isPutOff(run)) return undefined;
  if (isSinceEngine2(run.plan)) return windUp(run, halt);
  run.rollingOver = true;
  halt.tripAll();
  halt.check();
  return undefined;
}

/** From here on the new run comes first: a server warns at 10,240 events, and ends a run at 51,200. */
const MOST_EVENTS = 20_000;

/**
 * A task that was called may wait for people for days, and its caller, which cannot take it along to a new run, would do
 * nothing else until it has ended.
 */
function isPutOff({ called, plan }: TaskRun): boolean {
  return called > 0 && workflowInfo().historyLength < MOST_EVENTS && isSinceEngine2(plan) && patched(PUT_OFF);
}

/** Recorded runs that began anew while a called task was open did wait for it. */
const PUT_OFF = 'new-run-after-called';
