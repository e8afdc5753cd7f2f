/**
 * States of a task while it is open; `waiting`: for its turn among tasks with the same key. Source:
 * docs/architecture.md#the-way-of-a-task.
 */
export const OPEN_STATES = ['created', 'guarding', 'waiting_approval', 'waiting', 'running', 'finishing'] as const;

/** States in which a task ends; `unavailable`: preflight refused it, and its key is free again. */
export const END_STATES = [
  'succeeded',
  'failed',
  'denied',
  'cancelled',
  'timed_out',
  'unknown',
  'expired',
  'unavailable',
] as const;

/** An open state of a task. */
export type OpenState = (typeof OPEN_STATES)[number];

/** A final state of a task. */
export type EndState = (typeof END_STATES)[number];

/** Any state of a task. */
export type TaskState = OpenState | EndState;

/** Statuses of one step. Source: docs/workflow-language.md. */
export const STEP_STATUSES = [
  'pending',
  'running',
  'waiting',
  'succeeded',
  'failed',
  'skipped',
  'denied',
  'timed_out',
  'cancelled',
  'unknown',
] as const;

/** One of `STEP_STATUSES`. */
export type StepStatus = (typeof STEP_STATUSES)[number];

/** Whether this state is final. */
export function isEndState(state: string): state is EndState {
  return (END_STATES as readonly string[]).includes(state);
}

/** Whether this status of a step is final. */
export function isStepEnd(status: StepStatus): boolean {
  return status !== 'pending' && status !== 'running' && status !== 'waiting';
}
