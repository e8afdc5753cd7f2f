import { CancellationScope } from '@temporalio/workflow';
import { isRepeatable } from '../../contracts/effects.js';
import { ACTIVITY_LIMITS } from '../../contracts/names.js';
import type { Problem } from '../../contracts/problem.js';
import { stepLimit } from '../../rules/calls/call-limits.js';
import { holdsSession } from '../../rules/calls/holds-session.js';
import { readActivityFailure, StepFailure } from '../steps/step-failure.js';
import type { TaskRun } from '../task/task-run.js';
import { sessionLost } from './hold-session.js';
import { type OperationCall, SLACK_MS } from './schedule-call.js';

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
