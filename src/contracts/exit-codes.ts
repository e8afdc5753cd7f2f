import type { TaskState } from './states.js';

/** Exit codes of the CLI, the same for every command. Source: docs/operations.md#the-runtime-of-a-project. */
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

/** One of {@link EXIT}. */
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
