import { CancellationScope, isCancellation } from '@temporalio/workflow';
import type { CallAnswer } from '../../contracts/activities.js';
import { isRepeatable } from '../../contracts/effects.js';
import type { StepFiles } from '../../contracts/files.js';
import type { HookAnswer, Phase } from '../../contracts/hooks.js';
import type { Json } from '../../contracts/json.js';
import { ACTIVITY_LIMITS } from '../../contracts/names.js';
import type { PlanHook } from '../../contracts/plan.js';
import type { Problem } from '../../contracts/problem.js';
import { stepLimit } from '../../rules/calls/call-defaults.js';
import { holdsSession } from '../../rules/calls/tools-used.js';
import { firesFor, handlerKindOf } from '../../rules/hooks/handlers.js';
import { callerOf } from '../../rules/tasks/persons.js';
import { plainYes } from '../../rules/tasks/stored-result.js';
import { fireAfter } from '../hooks/ask-hooks.js';
import { isStepFailure, readActivityFailure, StepFailure } from '../steps/step-failure.js';
import type { TaskRun } from '../task/task-run.js';
import { allowCall } from './allow-call.js';
import { type EnteredCall, entersCalls, inSession } from './enter-call.js';
import { callUntilKnown, isInDoubt, settleDoubt } from './find-out.js';
import { heldQueue, sessionLost } from './hold-session.js';
import { isForAnother, keyWait } from './local-activities.js';
import { type OperationCall, SLACK_MS, scheduleCall } from './schedule-call.js';

/** For tasks and steps. Source: docs/architecture.md#the-rooms. @throws StepFailure; cancellation; BranchStopped. */
export function callOperation(run: TaskRun, call: OperationCall): Promise<Json> {
  return isInDoubt(run, call) ? settleDoubt(run, call, { make, ask: callOperation }) : make(run, call);
}

function make(run: TaskRun, call: OperationCall): Promise<Json> {
  return entersCalls(run.task) ? inSession(run, (entered) => callGuarded(run, call, entered)) : callGuarded(run, call);
}

async function callGuarded(run: TaskRun, given: OperationCall, entered?: EnteredCall): Promise<Json> {
  const { call, hooked } = await allowCall(run, given, entered);
  const made = run.calls.begin(call.path, call.operation.key, hooked.input);
  if (entered) entered.isMade = true;
  try {
    const output = await perform(run, call);
    made.gave(output);
    const fired = fireAfter(run, hooked, { status: 'succeeded', output, error: null });
    if (fired) await fired;
    return output;
  } catch (error) {
    if (isStepFailure(error)) made.failed(error.problem);
    if (isStepFailure(error)) await fireAfter(run, hooked, { status: 'failed', output: null, error: error.problem });
    throw error;
  }
}

/** @throws StepFailure `limit.max_calls`. */
function countCall(run: TaskRun): void {
  const { max_calls: max } = run.task.plan.limits;
  if (max !== undefined && run.calls.count >= max) {
    const message = `The task has made ${run.calls.count} calls, which is its maximum`;
    const suggestion = 'Raise `limits.max_calls` of the ability, or find out why it calls so often.';
    throw new StepFailure({ code: 'limit.max_calls', message, suggestion });
  }
  run.calls.count += 1;
}

function perform(run: TaskRun, call: OperationCall): Promise<Json> {
  // Limits never stop a clean-up; an agent counts its calls itself.
  if (call.budget === run.budget && !run.task.plan.agent) countCall(run);
  const { unknown } = call.operation;
  if (!unknown) return executeCall(run, call);
  return callUntilKnown(run, call, unknown, { make: executeCall, ask: callOperation });
}

/** Waits while no worker can check the seal. @throws StepFailure; cancellation; BranchStopped. */
export async function executeCall(run: TaskRun, call: OperationCall): Promise<Json> {
  for (let pauses = 0; ; pauses += 1) {
    call.branchStop.check();
    const leftMs = call.budget.left(stepLimit(run.task.plan.limits, call.operation, call.timeoutMs));
    if (leftMs === 0) throw call.budget.exhausted();
    run.steps.note(call.path, call.id, { status: 'running', call: call.operation.key });
    const queue = holdsSession(call.operation) ? await heldQueue(run) : undefined;
    let answer: CallAnswer;
    call.budget.begin();
    run.life.pendingWork += 1;
    try {
      answer = await scheduleCall(run, call, leftMs, queue);
    } catch (error) {
      call.budget.end();
      run.life.pendingWork -= 1;
      const failure = isCancellation(error) ? error : failureOf(run, call, leftMs, error);
      if (isStepFailure(failure) && isForAnother(failure.problem.code)) {
        await call.branchStop.wait(() => keyWait(pauses));
        continue;
      }
      run.audit.called(call, failure);
      throw failure;
    }
    call.budget.end();
    run.life.pendingWork -= 1;
    run.audit.called(call);
    return take(run, call, answer);
  }
}

/** Records what came with the output of a call: hook answers, warnings, files. */
function take(run: TaskRun, call: OperationCall, answer: CallAnswer): Json {
  const { output, attempt, hooks, allowed, allowed_ms = [], warnings, files } = answer;
  run.steps.note(call.path, call.id, {
    status: 'running',
    attempts: (call.earlier?.made ?? 0) + (attempt ?? 1),
    ...(files && { files }),
  });
  if (hooks) run.hooks.keep(hooks);
  if (allowed) run.hooks.keep(allowedBy(run, call).map((one, at) => plainYes({ ...one, duration_ms: allowed_ms[at] })));
  if (warnings) run.warnings.add(...warnings);
  if (files) takeFiles(run, call, files);
  return output;
}

/** Parallel calls see the same room, so the total is checked here. @throws StepFailure `file.too_large`. */
function takeFiles(run: TaskRun, { path, operation }: OperationCall, files: StepFiles): void {
  run.files.add(path, files);
  if (!run.files.isTooMuch) return;
  const message = `With those of ${operation.key}, the files of the task are larger than \`policy.max_task_files\` allows`;
  const suggestion = 'Make fewer or smaller files, or raise `policy.max_task_files` in ability.yaml.';
  throw new StepFailure({ code: 'file.too_large', message, suggestion }, true);
}

function allowedBy(run: TaskRun, { operation, path }: OperationCall): Pick<HookAnswer, 'hook_id' | 'phase' | 'path'>[] {
  const caller = callerOf(run.task.start);
  const answersOf = (hooks: readonly PlanHook[], phase: Phase) =>
    hooks
      .filter((hook) => handlerKindOf(hook.handler).isInAttempt && firesFor(hook, caller))
      .map(({ id }) => ({ hook_id: id, phase, path }));
  return [
    ...(run.task.plan.hooks === 'activities' ? [] : answersOf(operation.hooks.pre_call, 'PreAbilityCall')),
    ...answersOf(operation.hooks.post_call, 'PostAbilityCall'),
  ];
}

/**
 * What a failed activity means. Temporal's own timeouts occur if a worker died or hung (START_TO_CLOSE, HEARTBEAT),
 * if none had a free slot (SCHEDULE_TO_START), or if the step's time ended, also between two attempts
 * (SCHEDULE_TO_CLOSE).
 */
export function failureOf(run: TaskRun, call: OperationCall, leftMs: number, error: unknown): Error {
  const { operation, path, id } = call;
  const end = readActivityFailure(error);
  const made = call.earlier?.made ?? 0;
  if (end.kind === 'problem') {
    run.steps.note(path, id, { status: 'running', attempts: made + end.attempt });
    run.hooks.keep(end.hooks);
    const { problem, cut, hasArrived, isAnswer } = end;
    if (problem.code !== 'outcome.unknown')
      return limitOf(run, call, leftMs, problem) ?? new StepFailure(problem, hasArrived, isAnswer);
    const limit = limitOf(run, call, leftMs, seenBefore(problem));
    return run.lost.endOf({ problem, wasCut: cut, mayBeCut: call.mayBeCut, limit });
  }
  if (end.kind === 'other') {
    const message = error instanceof Error ? error.message : String(error);
    return new StepFailure({ code: 'internal.error', message });
  }
  if (end.type === 'SCHEDULE_TO_START' && (isRepeatable(operation.effects) || !(end.unclear || end.lost))) {
    if (holdsSession(operation)) return sessionLost(run);
    return new StepFailure({
      code: 'worker.unavailable',
      message: `No worker took up ${operation.key} within ${ACTIVITY_LIMITS.schedule_to_start / 1000} s`,
      suggestion: `Start a worker for ${run.task.plan.environment.name}.`,
    });
  }
  const lost =
    end.type === 'SCHEDULE_TO_CLOSE'
      ? `${operation.key} did not end within the time of its step, all attempts together (${end.type})`
      : `The worker that ran ${operation.key} was lost or did not end it in time (${end.type})`;
  if (!isRepeatable(operation.effects)) {
    if (operation.unknown) run.steps.note(path, id, { status: 'running', attempts: made + end.attempt });
    const wasCut = CancellationScope.current().consideredCancelled;
    return run.lost.endOf({ problem: lostOutcome(lost), wasCut, mayBeCut: call.mayBeCut, limit: undefined });
  }
  const code = end.type === 'SCHEDULE_TO_CLOSE' ? 'timeout.step' : 'timeout.call';
  return timeoutOf(run, call, leftMs, { code, message: lost });
}

function limitOf(run: TaskRun, call: OperationCall, leftMs: number, problem: Problem): StepFailure | undefined {
  const isTimeout = problem.code === 'timeout.step' || problem.code === 'timeout.call';
  return isTimeout ? timeoutOf(run, call, leftMs, problem) : undefined;
}

/** The failure of the limit that was reached: of the task or clean-up, the step, or one attempt. */
function timeoutOf(run: TaskRun, call: OperationCall, leftMs: number, problem: Problem): StepFailure {
  const { operation, timeoutMs, budget } = call;
  const ownMs = stepLimit(run.task.plan.limits, operation, timeoutMs);
  const isByBudget = leftMs <= ownMs && budget.left(ownMs) < SLACK_MS;
  if (!isByBudget) return new StepFailure(problem);
  const failure = budget.exhausted();
  if (problem.details !== undefined) failure.problem.details = problem.details;
  return failure;
}

/** The last known problem of a call with an unknown outcome. */
function seenBefore({ details }: Problem): Problem {
  const { seen } = (details ?? {}) as { seen?: Problem };
  return seen ?? { code: '', message: '' };
}

function lostOutcome(message: string): Problem {
  return {
    code: 'outcome.unknown',
    message: `${message}; whether its effect took place could not be determined`,
    suggestion: 'Check by hand whether the effect took place before you run anything again.',
  };
}
