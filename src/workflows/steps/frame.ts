import type { Json } from '../../contracts/json.js';
import type { LastTurn } from '../../contracts/loops.js';
import type { PlanStep } from '../../contracts/plan.js';
import type { Budget } from '../task/budget.js';
import type { Halt } from '../task/stop-branches.js';
import type { TaskRun } from '../task/task-run.js';
import type { OwnValue } from './step-values.js';

/** How a step ended that did not fail: its output, and whether it ran. */
export interface StepEnd {
  ran: boolean;
  output: Json;
}

/** Where in which task the interpreter is. */
export interface Frame {
  run: TaskRun;
  /** Runs a step inside: verbs and modifiers hold steps, and these have verbs and modifiers again. */
  runStep: (step: PlanStep, around: Frame) => Promise<StepEnd>;
  /** Prefix of the paths of the steps here: empty, or ending in a slash. */
  prefix: string;
  /** Names that expressions see here besides the common ones. */
  names: { [name: string]: Json };
  halt: Halt;
  budget: Budget;
  /** Attempt of each retried group around, from the outside in. */
  groups: readonly number[];
  /** In a turn of a loop: its steps by id, as they were when they last ran in it. Undefined for plans of engine 1. */
  last?: Readonly<Record<string, LastTurn>> | undefined;
  /** Last-turn values of the current step, where it reads its own last turn. */
  own?: OwnValue | undefined;
  /** In `finally` and when calls are taken back, which run to their end. */
  isCleanup: boolean;
  /** The span of the step that is at work, see `spotOf`; absent: the task itself. */
  spot?: string;
}

/** The frame inside a step. */
export function frameInside(frame: Frame, path: string, halt: Halt = frame.halt): Frame {
  return { ...frame, prefix: `${path}/`, halt, own: undefined };
}

/**
 * Runs steps in order. @returns the last output of an executed step; null if there was none. Source:
 * docs/workflow-language.md#calls.
 */
export async function runSteps(steps: readonly PlanStep[], frame: Frame): Promise<Json> {
  let output: Json = null;
  for (const step of steps) {
    frame.halt.check();
    const ended = await frame.runStep(step, frame);
    if (ended.ran) output = ended.output;
  }
  return output;
}
