import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/workflow';
import { familyOf } from '../../contracts/codes.js';
import type { HookAnswer } from '../../contracts/hooks.js';
import { isJsonObject, type Json } from '../../contracts/json.js';
import { AbilityError, type Problem } from '../../contracts/problem.js';
import type { EndState, StepStatus } from '../../contracts/states.js';
import { isInTurn } from '../../rules/steps/step-tree.js';

/** Where a preflight refused: as the worker of the queue knows it. */
export interface RefusedIn {
  project: string;
  /** Absent: the queue is that of no environment. */
  environment?: string;
  /** Who is notified, as indexes in the `notify` of the project for this environment; absent: nobody. */
  notify?: number[];
}

export class StepFailure extends Error {
  /**
   * @param hasArrived whether the call was made, and only its answer is unusable.
   * @param isAnswer whether the author declared that an answer means this failure, which is then retried only if named.
   */
  constructor(
    readonly problem: Problem,
    readonly hasArrived = false,
    readonly isAnswer = false,
  ) {
    super(problem.message);
  }
}

/** A failure as data, for the task's next run or its caller. */
export interface KeptFailure {
  error: Problem;
  /** See {@link StepFailure.isAnswer}. */
  answer?: true;
}

export function keepFailure({ problem, isAnswer }: StepFailure): KeptFailure {
  return { error: problem, ...(isAnswer && { answer: true }) };
}

/** Reverses {@link keepFailure}. */
export function keptFailure({ error, answer = false }: { error: Problem; answer?: boolean }): StepFailure {
  return new StepFailure(error, false, answer);
}

/** `end` unwinds to the top of the task: a success, unless a clean-up fails on the way. */
export class EndOfTask extends Error {
  /** @param failure of the first `finally` that failed on the way, which the task ends with. */
  constructor(
    readonly output: Json,
    readonly failure?: StepFailure,
  ) {
    super('The task ended early');
  }
}

/**
 * A branch that stops because another one failed, whose failure is reported, or because the task continues as a new
 * run, where the branch goes on.
 */
export class BranchStopped extends Error {
  constructor() {
    super('Another branch failed');
  }
}

/** Codes of a refusal. */
function isRefusal(code: string): boolean {
  return code === 'guard.denied' || code === 'hook.failed' || familyOf(code) === 'approval';
}

/** The status of a step that failed with this code. Source: docs/workflow-language.md#waits. */
export function stepStatusOf(code: string): StepStatus {
  if (isRefusal(code)) return 'denied';
  if (code === 'outcome.unknown') return 'unknown';
  return familyOf(code) === 'timeout' ? 'timed_out' : 'failed';
}

export function endStateOf(code: string): EndState {
  if (isRefusal(code)) return 'denied';
  if (code === 'outcome.unknown') return 'unknown';
  return code === 'timeout.task' ? 'timed_out' : 'failed';
}

/** Converts our errors; returns others unchanged, since they are bugs. */
export function asStepFailure(error: unknown): unknown {
  if (error instanceof AbilityError) return new StepFailure(error.toProblem());
  return error;
}

export function isStepFailure(error: unknown): error is StepFailure {
  return error instanceof StepFailure;
}

export function asApplicationFailure(problem: Problem): ApplicationFailure {
  const { code: type, message } = problem;
  return ApplicationFailure.create({ type, message, nonRetryable: true, details: [problem] });
}

/** Whether the outcome of a call is unknown. */
export function isUnknown(error: unknown): error is StepFailure {
  return isStepFailure(error) && error.problem.code === 'outcome.unknown';
}

/** For an error that wraps an activity's failure, the message of that failure. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? (error.cause instanceof Error ? error.cause : error).message : String(error);
}

/** What a failure means for the answer of a call; see {@link StepFailure}. */
type Arrival = Pick<StepFailure, 'hasArrived' | 'isAnswer'>;

/** Meaning of an activity's failure: our problem, a timeout of Temporal's, or an unexpected error. */
export type ActivityEnd =
  | ({
      kind: 'problem';
      problem: Problem;
      attempt: number;
      hooks: HookAnswer[];
      cut: boolean;
      refusedIn: RefusedIn | undefined;
    } & Arrival)
  /** `unclear`: an earlier attempt failed but may have had its effect; `lost`: one was lost with its worker. */
  | { kind: 'timeout'; type: TimeoutFailure['timeoutType']; attempt: number; unclear: boolean; lost: boolean }
  | { kind: 'other'; error: unknown };

export function readActivityFailure(error: unknown): ActivityEnd {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof TimeoutFailure) {
    const { timeoutType: type, cause: before } = cause;
    return {
      kind: 'timeout',
      type,
      // An attempt that another one follows leaves its number.
      attempt: 1 + ((cause.lastHeartbeatDetails as { attempt?: number } | undefined)?.attempt ?? 0),
      unclear: reportedBy(before).unclear === true,
      lost: before instanceof TimeoutFailure,
    };
  }
  if (cause instanceof ApplicationFailure && cause.type) {
    const [problem] = (cause.details ?? []) as [Problem?];
    const {
      attempt = 1,
      hooks = [],
      cut = false,
      arrived: hasArrived = false,
      answer: isAnswer = false,
      refused_in: refusedIn,
    } = reportedBy(cause);
    const { type: code, message } = cause;
    const said = { attempt, hooks, cut, hasArrived, isAnswer, refusedIn };
    return { kind: 'problem', problem: problem ?? { code, message }, ...said };
  }
  return { kind: 'other', error };
}

/** Adds the innermost failed step and its path. Source: docs/workflow-language.md#branching-and-ending. */
export function locate(failure: StepFailure, id: string, path: string): StepFailure {
  const { problem } = failure;
  if (problem.step !== undefined) return failure;
  problem.step = id;
  const details = problem.details;
  problem.details = { ...(isJsonObject(details) ? details : details === undefined ? {} : { value: details }), path };
  return failure;
}

/** Place found by {@link locate}: step id, or path in a loop (`hosts/12/check`), with the task if called. */
export function placeOf({ step, details }: Problem): string | undefined {
  const { path, task } = (details ?? {}) as { path?: unknown; task?: unknown };
  const place = typeof path === 'string' && isInTurn(path) ? path : step;
  return place !== undefined && typeof task === 'string' ? `${place} of ${task}` : place;
}

interface Reported {
  attempt?: number;
  unclear?: boolean;
  hooks?: HookAnswer[];
  cut?: boolean;
  arrived?: boolean;
  answer?: boolean;
  refused_in?: RefusedIn;
}

function reportedBy(error: unknown): Reported {
  const [, reported = {}] = error instanceof ApplicationFailure ? (error.details ?? []) : [];
  return reported as Reported;
}
