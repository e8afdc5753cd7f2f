import type { PlanStep } from './plan.js';
import type { Problem } from './problem.js';
import type { StepStatus } from './states.js';

/** The steps of a task that have neither calls nor steps in them; secrets are not masked yet. */
export interface StepsDone {
  listed: StepDone[];
  left_out: number;
}

/** One such step. */
export interface StepDone {
  path: string;
  verb: PlanStep['verb'];
  status: StepStatus;
  /** Absent if it did not succeed. */
  gave?: MadeText;
  error?: Pick<Problem, 'code' | 'message'>;
}

/** The calls of a task; secrets are not masked yet. */
export interface CallsMade {
  listed: CallMade[];
  left_out: number;
}

export interface CallMade {
  path: string;
  call: string;
  /** For a called workflow: its task. */
  task?: string;
  given: MadeText;
  /** Absent if it did not succeed. */
  gave?: MadeText;
  error?: Pick<Problem, 'code' | 'message'>;
}

/** The kept start of a value as JSON text, and the length of the whole text in characters. */
export type MadeText = [text: string, characters: number];
