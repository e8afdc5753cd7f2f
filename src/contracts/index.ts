/** Shared types, states, codes and names. */
export type * from './activities.js';
export type * from './approvals.js';
export { CALLERS, type Caller, type Person } from './callers.js';
export type * from './check.js';
export { CODES, type CodeMeaning, type KnownCode, meaningOf } from './codes.js';
export type * from './concurrency.js';
export { EFFECTS, type Effect } from './effects.js';
export {
  type EventContext,
  type GuardDecision,
  type HookAnswer,
  type HookResult,
  PHASES,
  type Phase,
} from './hooks.js';
export type * from './json.js';
export type * from './loops.js';
export { ATTRIBUTES, ENGINE, PLACEMENTS, type Placement, QUERIES, SIGNALS, taskQueueOf, UPDATES } from './names.js';
export type * from './notices.js';
export type * from './plan.js';
export { AbilityError, formatLocation, type Problem, type SourceLocation } from './problem.js';
export type * from './record.js';
export type * from './routing.js';
export type * from './seal.js';
export {
  END_STATES,
  type EndState,
  EXIT,
  EXIT_OF_STATE,
  type ExitCode,
  isEndState,
  OPEN_STATES,
  type StepStatus,
  type TaskState,
} from './states.js';
export type * from './story.js';
export type * from './task.js';
