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
import type { Person } from '../contracts/people.js';
import type { TaskResult, TaskStart } from '../contracts/task.js';
import { digestOf } from '../rules/canonical.js';
import { whyNotThisBuild } from '../rules/engine.js';
import { awaitApproval, GUARD_APPROVAL_MS, setState } from './approvals.js';
import { carryOn } from './carry-on.js';
import { showDetails } from './details.js';
import { enterChild } from './enter-child.js';
import { finishTask, type Outcome } from './finish.js';
import { Halt } from './halt.js';
import { askGuards } from './hooks.js';
import { joinHooks } from './join-hooks.js';
import { listen } from './listen.js';
import { Halted } from './step-failure.js';
import { TaskRun } from './task-run.js';
import { aroundTask, outcomeOf, workAndCleanUp } from './work.js';

/**
 * A task: the one workflow behind every ability. Its type is the ability's id, its id the task key.
 *
 * Ends as Completed (succeeded, expired), Canceled, or Failed with our code as type and the result as details; goes on as
 * a new run when its history has grown long. Source: design, section 6.
 */
export async function task(start: TaskStart): Promise<TaskResult> {
  refuseOtherEngine(start);
  refuseOtherRequest(start);
  try {
    return await carryOut(start);
  } catch (error) {
    throw isForTemporal(error) ? error : mistakeOf(error);
  }
}

async function carryOut(start: TaskStart): Promise<TaskResult> {
  const run = new TaskRun(start);
  run.onChange = () => showDetails(run);
  listen(run);
  const outcome = await reachOutcome(run);
  await joinHooks(run);
  if (outcome === 'goes on') return continueAsNew<typeof task>(carryOn(run));
  const result = await finishTask(run, outcome);
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

function refuseOtherEngine({ plan }: TaskStart): void {
  const reason = whyNotThisBuild(plan);
  if (reason) throw ApplicationFailure.create({ type: 'engine.unsupported', message: reason, nonRetryable: true });
}

/** What passed preflight is what runs: this input, asked for by this person. Source: design, sections 2 and 6. */
function refuseOtherRequest(start: TaskStart): void {
  if (start.carried ? workflowInfo().continuedFromExecutionRunId !== undefined : isAsSealed(start)) return;
  throw ApplicationFailure.create({
    type: 'seal.invalid',
    message: 'The task was not started with what passed preflight',
    nonRetryable: true,
  });
}

function isAsSealed({ child, seal, input, user, progress }: TaskStart): boolean {
  // What a called task is given comes from its caller, whose calls activities check.
  if (child) return progress === undefined;
  const taken = progress && digestOf(progress);
  return digestOf(input) === seal.input && isSamePerson(user, seal.user) && taken === seal.progress;
}

function isSamePerson(one: Person, other: Person): boolean {
  return one.name === other.name && one.source === other.source;
}

/** Never throws: a mistake of ours ends the task as failed, after its clean-up. Source: design, section 6. */
async function reachOutcome(run: TaskRun): Promise<Outcome | 'goes on'> {
  try {
    if (!(await waitForRun(run))) return { status: 'expired', output: null, error: expiry(run) };
    const halt = new Halt();
    if (!run.start.carried) {
      run.startedAt = new Date().toISOString();
      if (run.start.child) await enterChild(run);
      await guardTask(run, halt);
    }
    return await workAndCleanUp(run, { prefix: '', names: {}, halt, budget: run.budget, isCleanup: false });
  } catch (error) {
    if (error instanceof Halted && run.rollingOver && !CancellationScope.current().consideredCancelled)
      return 'goes on';
    return outcomeOf(error);
  }
}

function expiry(run: TaskRun) {
  const days = run.plan.limits.expires_ms / 86_400_000;
  return { code: 'task.expired', message: `Nobody ran the task within ${days} days` };
}

/**
 * A created task waits to be run; `ability run` starts it running.
 *
 * The timer is not cancelled when it is run: that would be one more event, and it ends with the task.
 */
async function waitForRun(run: TaskRun): Promise<boolean> {
  run.onChange();
  if (run.runRequested) return true;
  let expired = false;
  const { expires_ms: limit } = run.plan.limits;
  sleep(limit, { summary: 'expires unless it is run' }).then(
    () => (expired = true),
    () => {},
  );
  await condition(() => run.runRequested || expired);
  return run.runRequested;
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

/** Ends that Temporal cannot tell apart are told by an attribute. Source: answers, 1. */
function endAs(run: TaskRun, result: TaskResult): TaskResult {
  const { status, error } = result;
  run.state = status;
  run.onChange();
  if (status === 'succeeded') return result;
  if (status === 'cancelled') throw new CancelledFailure('The task was cancelled', [result]);
  if (status !== 'failed') setState(run, status);
  if (status === 'expired') return result;
  const failure = ApplicationFailure.create({
    type: error?.code ?? 'internal.error',
    message: (error?.message ?? 'The task failed').slice(0, 2000),
    nonRetryable: true,
    details: [result],
  });
  failure.stack = '';
  throw failure;
}
