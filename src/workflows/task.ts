import './no-stack-traces.js';
import {
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  ContinueAsNew,
  condition,
  continueAsNew,
  DeterminismViolationError,
  sleep,
  TemporalFailure,
  workflowInfo,
} from '@temporalio/workflow';
import type { ModifyAnswer } from '../contracts/activities.js';
import { FIRING_PREFIX } from '../contracts/names.js';
import type { StoredResult } from '../contracts/stored-result.js';
import type { TaskResult, TaskStart } from '../contracts/task.js';
import { GUARD_APPROVAL_MS } from '../rules/call-limits.js';
import { whyNotThisBuild } from '../rules/engine.js';
import { storeResult } from '../rules/stored-result.js';
import { packArguments, type TaskArguments, unpackArguments } from '../rules/task-arguments.js';
import { awaitApproval, setState } from './approvals/await-approval.js';
import { joinNotices, notifyOfEnd } from './approvals/notices.js';
import { joinProofs } from './approvals/prove-decision.js';
import { giveUpTurn, takeTurn } from './concurrency/take-turn.js';
import { askGuards } from './hooks/ask-hooks.js';
import { joinHooks } from './hooks/join-hooks.js';
import { continueChanged, recordChange } from './input-changes/continue-changed.js';
import { carryOn } from './next-run/carry-on.js';
import { reportRun } from './reports/report-run.js';
import { runStep } from './steps/run-step.js';
import { Halted } from './steps/step-failure.js';
import { enterChild } from './task/enter-child.js';
import { finishTask, type Outcome } from './task/finish.js';
import { refuseCancelled } from './task/gate.js';
import { Halt } from './task/halt.js';
import { learnLink } from './task/learn-link.js';
import { listen } from './task/listen.js';
import { TaskRun } from './task/task-run.js';
import { aroundTask, outcomeOf, workAndCleanUp } from './task/work.js';
import { tellFailure } from './view/describe-failure.js';
import { showDetails } from './view/details.js';

/**
 * A task: the one workflow behind every ability. Its type is the ability's id, its id the task key.
 *
 * Ends as Completed (succeeded, expired), Canceled, or Failed with our code as type and the result as details; goes on as
 * a new run when its history has grown long. Source: docs/architecture.md#the-way-of-a-task.
 */
export async function task(...args: TaskArguments): Promise<StoredResult> {
  const start = readStart(args);
  reportRun(start);
  try {
    return await carryOut(start);
  } catch (error) {
    throw isForTemporal(error) ? error : mistakeOf(error);
  }
}

async function carryOut(start: TaskStart): Promise<StoredResult> {
  const run = new TaskRun(start);
  showDetails(run);
  listen(run);
  const outcome = await reachOutcome(run);
  await joinHooks(run);
  if (run.proving > 0) await joinProofs(run);
  if (outcome !== 'goes on' && !('seal' in outcome)) notifyOfEnd(run, outcome);
  if (run.notices.length > 0) await joinNotices(run);
  if (outcome === 'goes on') return continueAsNew<typeof task>(...packArguments(carryOn(run)));
  if ('seal' in outcome) return continueChanged(run, outcome);
  const result = await finishTask(run, outcome);
  if (result.status !== outcome.status && run.plan.notify) {
    // Its output was refused, by an activity.
    notifyOfEnd(run, result);
    await joinNotices(run);
  }
  await giveUpTurn(run);
  return endAs(run, result);
}

/** How a task ends or goes on; anything else would fail the workflow task, again and again. */
function isForTemporal(error: unknown): boolean {
  return (
    error instanceof TemporalFailure || error instanceof ContinueAsNew || error instanceof DeterminismViolationError
  );
}

function mistakeOf(error: unknown): ApplicationFailure {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return ApplicationFailure.create({ type: 'internal.error', message, nonRetryable: true });
}

/**
 * What the task was started with. That it passed preflight is for its activities to find out, which have the keys.
 *
 * @throws ApplicationFailure `engine.unsupported`, `seal.invalid`.
 */
function readStart(args: TaskArguments): TaskStart {
  const { workflowId, continuedFromExecutionRunId, cronSchedule, retryPolicy, parent } = workflowInfo();
  const start = unpackArguments(args, workflowId);
  if (!start) throw refusal('seal.invalid', 'The task was not started with what passed preflight');
  const other = whyNotThisBuild(start.plan);
  // A task that goes on has clean-up to do: the workflow task fails, until a worker of its build takes it up.
  if (other !== undefined && start.carried) throw new Error(other);
  if (other !== undefined) throw refusal('engine.unsupported', other);
  // Temporal would go on with a task on its own account, and what the next run is given would look like our word.
  if (cronSchedule || retryPolicy) throw refusal('seal.invalid', 'A task has no schedule and no retries of its own');
  // A firing of a schedule waits for its task as for one that it called; what it may start is as sealed as any.
  const isCalled = parent !== undefined && !parent.workflowId.startsWith(FIRING_PREFIX);
  if ((start.child !== undefined) !== isCalled) {
    throw refusal('seal.invalid', 'The task was started for another one, and no other one did');
  }
  // What an earlier run has done is believed only where there was one.
  if ((start.carried || start.changed) && continuedFromExecutionRunId === undefined) {
    throw refusal('seal.invalid', 'The task says that it goes on, and no earlier run of it did');
  }
  if (start.child && start.progress && !start.carried) {
    throw refusal('seal.invalid', 'A task that another one calls takes nothing over');
  }
  return start;
}

function refusal(type: string, message: string): ApplicationFailure {
  return ApplicationFailure.create({ type, message, nonRetryable: true });
}

/** Never throws: a mistake of ours ends the task as failed, after its clean-up. Source: docs/architecture.md#the-way-of-a-task. */
async function reachOutcome(run: TaskRun): Promise<Outcome | 'goes on' | ModifyAnswer> {
  try {
    const waited = await waitForRun(run);
    if (waited === 'expired') return { status: 'expired', output: null, error: expiry(run) };
    if (waited !== 'run') {
      // A new run would not hear that this one was cancelled.
      refuseCancelled();
      return waited;
    }
    const halt = new Halt();
    if (!run.start.carried) {
      run.startedAt = new Date().toISOString();
      if (run.start.child) await enterChild(run);
      await guardTask(run, halt);
    }
    // After its guards, so that nobody who thinks holds others up, and a task that is refused cancels none.
    await takeTurn(run);
    if (run.plan.links) await learnLink(run);
    return await workAndCleanUp(run, {
      runStep,
      prefix: '',
      names: {},
      halt,
      budget: run.budget,
      groups: [],
      isCleanup: false,
    });
  } catch (error) {
    if (error instanceof Halted && run.rollingOver && !CancellationScope.current().consideredCancelled)
      return 'goes on';
    return outcomeOf(error);
  }
}

function expiry(run: TaskRun) {
  const days = run.plan.limits.expires_ms / 86_400_000;
  return { code: 'task.expired', message: `The task was not run within ${days} days` };
}

/**
 * A created task waits to be run; `ability run` starts it running. Changes of its input that have begun come first.
 *
 * The timer is not cancelled when it is run: that would be one more event, and it ends with the task.
 */
async function waitForRun(run: TaskRun): Promise<'run' | 'expired' | ModifyAnswer> {
  try {
    if (run.start.changed && !run.start.carried) await recordChange(run);
    if (!isSettled(run)) await eitherRunOrExpired(run);
  } finally {
    run.mayChange = false;
  }
  if (run.next) return run.next;
  return run.runRequested ? 'run' : 'expired';
}

async function eitherRunOrExpired(run: TaskRun): Promise<void> {
  let expired = false;
  sleep(leftToRun(run), { summary: 'expires unless it is run' }).then(
    () => (expired = true),
    () => {},
  );
  await condition(() => isSettled(run, expired));
}

function isSettled(run: TaskRun, expired = false): boolean {
  return run.edits.underWay === 0 && (run.runRequested || expired || run.next !== undefined);
}

/** A change of the input gives a task no more time to be run in. */
function leftToRun({ plan, start, createdAt }: TaskRun): number {
  const { expires_ms: limit } = plan.limits;
  if (!start.changed) return limit;
  return Math.max(1, Date.parse(createdAt) + limit - Date.now());
}

/** The guards of a workflow as a whole, and the confirmations asked for at its creation. */
async function guardTask(run: TaskRun, halt: Halt): Promise<void> {
  const { plan } = run;
  const { seal } = run.start;
  if (plan.ability.kind === 'operation') return;
  run.state = 'guarding';
  const created = (run.start.child ? [] : seal.confirmations).map(
    ({ hook_id, reason }) => `${reason} (hook ${hook_id})`,
  );
  const reasons = [...(await askGuards(run, aroundTask(run))), ...created];
  if (reasons.length === 0) return;
  await awaitApproval(
    run,
    {
      path: 'run',
      title: `${plan.ability.id} in ${plan.environment.name}`,
      what: {
        ability: plan.ability.id,
        implementation: null,
        environment: plan.environment.name,
        effects: plan.ability.effects,
        input: run.input,
      },
      reasons,
      approvers: plan.environment.approvers,
      quorum: plan.environment.quorum,
      expiresMs: GUARD_APPROVAL_MS,
      comment: 'optional',
    },
    halt,
  );
}

/** Ends that Temporal cannot tell apart are told by an attribute. Source: docs/architecture.md#what-lives-where-in-temporal. */
function endAs(run: TaskRun, result: TaskResult): StoredResult {
  const { status, error } = result;
  run.state = status;
  run.ending = { status, error };
  const stored = storeResult(result);
  if (status === 'succeeded') return stored;
  if (status === 'cancelled') throw new CancelledFailure('The task was cancelled', [stored]);
  if (status !== 'failed') setState(run, status);
  if (status === 'expired') return stored;
  const failure = ApplicationFailure.create({
    type: error?.code ?? 'internal.error',
    message: error ? tellFailure(error, result.steps).slice(0, 2000) : 'The task failed',
    nonRetryable: true,
    details: [stored],
  });
  failure.stack = '';
  throw failure;
}
