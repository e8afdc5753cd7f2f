import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/workflow';
import { familyOf } from '../../contracts/codes.js';
import type { HookAnswer } from '../../contracts/hooks.js';
import { isJsonObject, type Json } from '../../contracts/json.js';
import { AbilityError, type Problem } from '../../contracts/problem.js';
import type { EndState, StepStatus } from '../../contracts/states.js';
import { isInTurn } from '../../rules/steps/turn-paths.js';

/** A step that failed, with the problem as callers will see it. */
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

/** A failure as the next run of its task, or the caller of its task, gets it. */
export interface KeptFailure {
  error: Problem;
  /** See {@link StepFailure.isAnswer}. */
  answer?: true;
}

/** A failure as data. */
export function keepFailure({ problem, isAnswer }: StepFailure): KeptFailure {
  return { error: problem, ...(isAnswer && { answer: true }) };
}

/** A failure that {@link keepFailure} has kept. */
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

/** A branch that stops because another one failed; the other one's failure is reported. */
export class Halted extends Error {
  constructor() {
    super('Another branch failed');
  }
}

/** Codes of a refusal. Source: docs/workflow-language.md#failures. */
function isRefusal(code: string): boolean {
  return code === 'guard.denied' || code === 'hook.failed' || familyOf(code) === 'approval';
}

/** The status of a step that failed with this code. Source: docs/workflow-language.md#waits. */
export function stepStatusOf(code: string): StepStatus {
  if (isRefusal(code)) return 'denied';
  if (code === 'outcome.unknown') return 'unknown';
  return familyOf(code) === 'timeout' ? 'timed_out' : 'failed';
}

/** The end state of a task that failed with this code. */
export function endStateOf(code: string): EndState {
  if (isRefusal(code)) return 'denied';
  if (code === 'outcome.unknown') return 'unknown';
  return code === 'timeout.task' ? 'timed_out' : 'failed';
}

/** Any error of ours as the failure of a step; others pass through, since they are mistakes in this code. */
export function asStepFailure(error: unknown): unknown {
  if (error instanceof AbilityError) return new StepFailure(error.toProblem());
  return error;
}

/** Whether an error is one of the ways in which a step can fail. */
export function isStepFailure(error: unknown): error is StepFailure {
  return error instanceof StepFailure;
}

/** A problem as the failure of a workflow or an update. */
export function asApplicationFailure(problem: Problem): ApplicationFailure {
  const { code: type, message } = problem;
  return ApplicationFailure.create({ type, message, nonRetryable: true, details: [problem] });
}

/** Whether an error says that the outcome of a call could not be learnt. */
export function isUnknown(error: unknown): error is StepFailure {
  return isStepFailure(error) && error.problem.code === 'outcome.unknown';
}

/** The message of an error; of one that wraps the failure of an activity, the message of that. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? (error.cause instanceof Error ? error.cause : error).message : String(error);
}

/** What a failure means for the answer of a call; see {@link StepFailure}. */
type Arrival = Pick<StepFailure, 'hasArrived' | 'isAnswer'>;

/** Meaning of an activity's failure: our problem, a timeout of Temporal's, or an unexpected error. */
export type ActivityEnd =
  | ({ kind: 'problem'; problem: Problem; attempt: number; hooks: HookAnswer[]; cut: boolean } & Arrival)
  /** `unclear`: an attempt before may have had its effect although it failed. */
  | { kind: 'timeout'; type: TimeoutFailure['timeoutType']; unclear: boolean }
  | { kind: 'other'; error: unknown };

/** Reads the failure of an activity. */
export function readActivityFailure(error: unknown): ActivityEnd {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof TimeoutFailure) {
    return { kind: 'timeout', type: cause.timeoutType, unclear: reportedBy(cause.cause).unclear === true };
  }
  if (cause instanceof ApplicationFailure && cause.type) {
    const [problem] = (cause.details ?? []) as [Problem?];
    const {
      attempt = 1,
      hooks = [],
      cut = false,
      arrived: hasArrived = false,
      answer: isAnswer = false,
    } = reportedBy(cause);
    const { type: code, message } = cause;
    return { kind: 'problem', problem: problem ?? { code, message }, attempt, hooks, cut, hasArrived, isAnswer };
  }
  return { kind: 'other', error };
}

/** The innermost failed step is the one reported; its path is in the details. Source: docs/workflow-language.md#choices-and-ends. */
export function locate(failure: StepFailure, id: string, path: string): StepFailure {
  const { problem } = failure;
  if (problem.step !== undefined) return failure;
  problem.step = id;
  const details = problem.details;
  problem.details = { ...(isJsonObject(details) ? details : details === undefined ? {} : { value: details }), path };
  return failure;
}

/**
 * Where a problem arose that {@link locate} has located, with the turn of a loop: the path of a step in
 * a loop, `hosts/12/check`, else the id of the step; in a called task, with that task.
 */
export function placeOf({ step, details }: Problem): string | undefined {
  const { path, task } = (details ?? {}) as { path?: unknown; task?: unknown };
  const place = typeof path === 'string' && isInTurn(path) ? path : step;
  return place !== undefined && typeof task === 'string' ? `${place} of ${task}` : place;
}

/** An activity's report besides its problem. */
interface Reported {
  attempt?: number;
  unclear?: boolean;
  hooks?: HookAnswer[];
  cut?: boolean;
  arrived?: boolean;
  answer?: boolean;
}

function reportedBy(error: unknown): Reported {
  const [, reported = {}] = error instanceof ApplicationFailure ? (error.details ?? []) : [];
  return reported as Reported;
}
