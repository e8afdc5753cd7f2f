// The way of a task through these files: preflight/begin.ts (its first act),
// task/task-run.ts (its parts), task/begin-task.ts (waits for `run`, guards), concurrency/take-turn.ts (its lock),
// task/run-steps-and-cleanup.ts, which per step goes through steps/run-step.ts, task/before-step.ts (pause, new run)
// and steps/run-verb.ts to calls/call-operation.ts, and in the end through steps/run-undo.ts and steps/run-cleanup.ts;
// then task/finish.ts (output and record), or continue-as-new/carry-on.ts or input-changes/continue-changed.ts.
import './no-stack-traces.js';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import {
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  ContinueAsNew,
  continueAsNew,
  DeterminismViolationError,
  TemporalFailure,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { ModifyAnswer } from '../contracts/activities.js';
import type { StoredResult } from '../contracts/stored-result.js';
import type { TaskArguments, TaskStart } from '../contracts/task.js';
import { storeResult } from '../rules/tasks/stored-result.js';
import { nextArguments } from '../rules/tasks/task-arguments.js';
import { askAhead } from './approvals/ask-ahead.js';
import { joinNotices, notifyOfEnd, notifyOfLateness } from './approvals/notices.js';
import { joinProofs } from './approvals/proofs.js';
import { giveUpTurn, takeTurn } from './concurrency/take-turn.js';
import { carryOn } from './continue-as-new/carry-on.js';
import { continueChanged } from './input-changes/continue-changed.js';
import { beginTask, NotThisBuild } from './preflight/begin.js';
import { listenEarly } from './preflight/early-handlers.js';
import { moveTo } from './preflight/move.js';
import { logTask, reportRun } from './reports/report-run.js';
import type { Frame } from './steps/frame.js';
import { runStep } from './steps/run-step.js';
import { BranchStopped } from './steps/step-failure.js';
import { refuseCancelled } from './task/before-step.js';
import { enterChild, guardTask, learnLink, waitForRun } from './task/begin-task.js';
import { finishTask, type Outcome } from './task/finish.js';
import { registerHandlers } from './task/handle-signals.js';
import type { TaskIdentity } from './task/identity.js';
import { outcomeOf, runStepsAndCleanUp } from './task/run-steps-and-cleanup.js';
import { BranchStop } from './task/stop-branches.js';
import { TaskRun } from './task/task-run.js';
import { failureMessage } from './view/describe-failure.js';
import { showDetails } from './view/details.js';

const STATUS = defineSearchAttributeKey('AbilityStatus', SearchAttributeType.KEYWORD);

/**
 * The one workflow behind every ability: its type is the ability's id, its id the task key, its first argument the
 * input. Ends as Completed (succeeded, expired), Canceled, or Failed with our code as type and the result as details;
 * continues as a new run when its history is long.
 */
export async function task(...args: TaskArguments): Promise<StoredResult> {
  let end: unknown;
  let start: TaskStart | undefined;
  try {
    const early = listenEarly(args);
    const begun = await beginTask(args).catch((error: unknown) =>
      early.refused(isForTemporal(error) ? error : mistakeOf(error)),
    );
    await early.formed('start' in begun ? begun.start.warnings : []);
    if ('start' in begun) start = begun.start;
    const ended = 'start' in begun ? await carryOut(begun.start, begun.queue) : endAs(begun.ended);
    end = ended;
    return ended;
  } catch (error) {
    end = isForTemporal(error) ? error : mistakeOf(error);
    throw end;
  } finally {
    logTask(end, args, start);
  }
}

/** @param queue on which it goes on, if that is another one. */
async function carryOut(start: TaskStart, queue: string | undefined): Promise<StoredResult> {
  reportRun(start);
  const run = new TaskRun(start);
  run.audit.begun(start);
  showDetails(run);
  registerHandlers(run);
  if (workflowInfo().continuedFromExecutionRunId === undefined) notifyOfLateness(run);
  if (queue !== undefined && run.approvals.notices.length > 0) await joinNotices(run);
  if (queue !== undefined) return moveTo(queue, run);
  let outcome = await reachOutcome(run);
  await joinAll(run, outcome);
  if (outcome === 'goes on' && CancellationScope.current().consideredCancelled) {
    outcome = await endCancelled(run);
    await joinAll(run, outcome);
  }
  if (outcome === 'goes on') return continueAsNew<typeof task>(...nextArguments(carryOn(run)));
  if ('seal' in outcome) return continueChanged(run, outcome);
  const result = await finishTask(run, outcome);
  if (result.status !== outcome.status && run.task.plan.notify) {
    // An activity refused its output.
    notifyOfEnd(run, result);
    await joinNotices(run);
  }
  await giveUpTurn(run);
  const { status, error } = result;
  run.life.state = status;
  run.life.ending = { status, error };
  return endAs(storeResult(result), error ? failureMessage(error, result) : undefined);
}

/** Waits for hooks, proofs and notices, also for proofs that arrive meanwhile; notifies of a failed end. */
async function joinAll(run: TaskRun, outcome: Reached): Promise<void> {
  const { approvals } = run;
  await run.hooks.join();
  if (approvals.pendingProofs > 0) await joinProofs(approvals);
  if (outcome !== 'goes on' && !('seal' in outcome)) notifyOfEnd(run, outcome);
  if (approvals.notices.length > 0) await joinNotices(run);
  while (approvals.pendingProofs > 0) await joinProofs(approvals);
}

/** Temporal would retry the workflow task forever after any other error. */
function isForTemporal(error: unknown): boolean {
  return (
    error instanceof TemporalFailure ||
    error instanceof ContinueAsNew ||
    error instanceof DeterminismViolationError ||
    error instanceof NotThisBuild
  );
}

function mistakeOf(error: unknown): ApplicationFailure {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return ApplicationFailure.create({ type: 'internal.error', message, nonRetryable: true });
}

type Reached = Outcome | 'goes on' | ModifyAnswer;

/** Never throws: a bug fails the task, after its clean-up. */
async function reachOutcome(run: TaskRun): Promise<Reached> {
  try {
    const waited = await waitForRun(run);
    if (waited === 'expired') return expired(run.task);
    if (waited !== 'run') {
      // A new run would not know that this one was cancelled.
      refuseCancelled();
      return waited;
    }
    const branchStop = new BranchStop();
    if (!run.task.start.carried) {
      await askAhead(frameOf(run, branchStop));
      run.life.startedAt = new Date().toISOString();
      if (run.task.start.child) await enterChild(run);
      await guardTask(run, branchStop);
    }
    // After its guards, so that a slow confirmation blocks no other task, and a refused task cancels none.
    await takeTurn(run);
    if (run.task.plan.links) await learnLink(run);
    return await runStepsAndCleanUp(frameOf(run, branchStop));
  } catch (error) {
    return error instanceof BranchStopped && run.life.rollingOver ? 'goes on' : outcomeOf(error);
  }
}

function frameOf(run: TaskRun, branchStop: BranchStop): Frame {
  const { budget } = run;
  return { run, runStep, prefix: '', names: {}, branchStop, budget, groups: [], isCleanup: false };
}

/**
 * The next run would not know of a cancellation that arrived after the steps had stopped for it. Enters them again
 * here: they start nothing, and what had begun is undone and cleaned up.
 */
async function endCancelled(run: TaskRun): Promise<Outcome> {
  const { turn } = run.lock;
  run.life.rollingOver = false;
  for (const approval of run.approvals.open) approval.status = 'cancelled';
  try {
    // Without its turn it has not begun.
    if (turn && !turn.granted_at) refuseCancelled();
    return await runStepsAndCleanUp(frameOf(run, new BranchStop()));
  } catch (error) {
    return outcomeOf(error);
  }
}

function expired({ plan }: TaskIdentity): Outcome {
  const days = plan.limits.expires_ms / 86_400_000;
  const error = { code: 'task.expired', message: `The task was not run within ${days} days` };
  return { status: 'expired', output: null, error };
}

/** States that Temporal cannot tell apart, shown by an attribute; the others are its own. */
const SHOWN: ReadonlySet<string> = new Set(['denied', 'timed_out', 'unknown', 'expired']);

/** */
function endAs(stored: StoredResult, message = stored.error?.message ?? 'The task failed'): StoredResult {
  const { status, error } = stored;
  if (SHOWN.has(status)) upsertSearchAttributes([{ key: STATUS, value: status }]);
  if (status === 'succeeded' || status === 'expired') return stored;
  if (status === 'cancelled') throw new CancelledFailure('The task was cancelled', [stored]);
  const failure = ApplicationFailure.create({
    type: error?.code ?? 'internal.error',
    message: message.slice(0, 2000),
    nonRetryable: true,
    details: [stored],
  });
  failure.stack = '';
  throw failure;
}
