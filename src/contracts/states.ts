/** States of a task while it is open; `waiting`: for its turn among tasks with the same key, or until it is due. */
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

/** Statuses of one step. */
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

export type StepStatus = (typeof STEP_STATUSES)[number];

/** Whether this state is final. */
export function isEndState(state: string): state is EndState {
  return (END_STATES as readonly string[]).includes(state);
}

/** Whether this status of a step is final. */
export function isStepEnd(status: StepStatus): boolean {
  return status !== 'pending' && status !== 'running' && status !== 'waiting';
}

/** Exit codes of the CLI, the same for every command. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  unavailable: 3,
  denied: 4,
  waiting: 5,
  timedOut: 6,
  outOfOrder: 7,
  unknown: 8,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Exit code of a command that ends with a task in this state. Source: docs/errors.md. */
export const EXIT_OF_STATE: Record<TaskState, ExitCode> = {
  created: EXIT.ok,
  guarding: EXIT.ok,
  waiting: EXIT.ok,
  running: EXIT.ok,
  finishing: EXIT.ok,
  waiting_approval: EXIT.waiting,
  succeeded: EXIT.ok,
  failed: EXIT.failed,
  denied: EXIT.denied,
  cancelled: EXIT.failed,
  timed_out: EXIT.timedOut,
  unknown: EXIT.unknown,
  unavailable: EXIT.unavailable,
  expired: EXIT.failed,
};

/** A state in a list. Temporal cannot tell `guarding` and `finishing` from `running`. */
export type ListedState = Exclude<TaskState, 'guarding' | 'finishing'>;

/** All of {@link ListedState}. */
export const LISTED_STATES: readonly ListedState[] = [...OPEN_STATES, ...END_STATES].filter(
  (state): state is ListedState => state !== 'guarding' && state !== 'finishing',
);
