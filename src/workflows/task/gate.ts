import { CancellationScope, CancelledFailure, condition, patched, workflowInfo } from '@temporalio/workflow';
import { Halted } from '../steps/step-failure.js';
import type { TaskIdentity } from './identity.js';
import type { TaskLife } from './life.js';
import type { Halt } from './stop-branches.js';

/** A call may succeed after it was cancelled; the steps after it must not start. @throws cancellation. */
export function refuseCancelled(): void {
  if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('Cancelled before the step began');
}

/** State that decides whether a step may start. */
interface Gated {
  task: TaskIdentity;
  life: TaskLife;
}

/**
 * Checked before every step except clean-ups: a paused task starts nothing, and one with a long history continues as a
 * new run.
 *
 * @throws Halted when this run winds up. Source: docs/architecture.md#what-lives-where-in-temporal.
 */
export function passGate({ task, life }: Gated, halt: Halt): Promise<void> | undefined {
  halt.check();
  if (life.paused) return halt.wait(() => condition(() => !life.paused)).then(() => passGate({ task, life }, halt));
  if (!workflowInfo().continueAsNewSuggested || isPutOff(task, life)) return undefined;
  if (task.isSinceEngine2) return windUp(life, halt);
  life.rollingOver = true;
  halt.tripAll();
  halt.check();
  return undefined;
}

/** From here on the new run comes first: a server warns at 10,240 events, and ends a run at 51,200. */
const MAX_EVENTS = 20_000;

/**
 * A task that was called may wait for people for days, and its caller, which cannot take it along to a new run, would do
 * nothing else until it has ended.
 */
function isPutOff(task: TaskIdentity, { called }: TaskLife): boolean {
  return called > 0 && workflowInfo().historyLength < MAX_EVENTS && task.isSinceEngine2 && patched(PUT_OFF);
}

/** Recorded runs that continued as new while a called task was open did wait for it. */
const PUT_OFF = 'new-run-after-called';

/**
 * Waits until no call is under way, and then ends this run, so that the task continues as a new one.
 *
 * Until then a parallel failure, a race that is won, a timeout and a cancellation have their usual effect, clean-ups
 * included. So no decision is pending when all is halted: the next run finds every step either ended or to be
 * continued. Source: docs/architecture.md#what-lives-where-in-temporal.
 *
 * @throws Halted; cancellation.
 */
async function windUp(life: TaskLife, halt: Halt): Promise<never> {
  let seen: number;
  do {
    seen = life.changes;
    await halt.wait(() => untilQuiet(life));
    // Code that woke up at the same moment may have begun or decided something.
  } while (life.changes !== seen || life.atWork > 0);
  life.rollingOver = true;
  halt.tripAll();
  throw new Halted();
}

/** A condition is evaluated when it is made; only at its second evaluation has everything else come to rest. */
function untilQuiet(life: TaskLife): Promise<void> {
  let isFirst = true;
  return condition(() => {
    const atRest = !isFirst && life.atWork === 0;
    isFirst = false;
    return atRest;
  });
}
