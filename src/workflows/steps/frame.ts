import type { Json } from '../../contracts/json.js';
import type { LastTurn } from '../../contracts/loops.js';
import type { PlanStep } from '../../contracts/plan.js';
import type { DecidedCall } from '../calls/schedule-call.js';
import type { Budget } from '../task/budget.js';
import type { BranchStop } from '../task/stop-branches.js';
import type { TaskRun } from '../task/task-run.js';
import type { OwnValue } from './step-values.js';

/** How a step ended that did not fail: its output, and whether it ran. */
export interface StepEnd {
  ran: boolean;
  output: Json;
}

export interface Frame {
  run: TaskRun;
  /** Runs a nested step; passed along, since verbs and modifiers contain steps and vice versa. */
  runStep: (step: PlanStep, around: Frame) => Promise<StepEnd>;
  /** Prefix of step paths: empty, or ends with `/`. */
  prefix: string;
  /** Additional names for expressions. */
  names: { [name: string]: Json };
  branchStop: BranchStop;
  budget: Budget;
  /** Attempt of each retried group around, from the outside in. */
  groups: readonly number[];
  /** In a loop: the steps of the turn at their last execution, by id. */
  last?: Readonly<Record<string, LastTurn>> | undefined;
  /** Last-turn values of the current step, if its expressions read them. */
  own?: OwnValue | undefined;
  /** In a `foreach` that asked once: the call that people decided on. */
  listed?: DecidedCall | undefined;
  /** In `finally` and in undo calls, which run to their end. */
  isCleanup: boolean;
  /** The span of the step that is at work, see `stepInstanceOf`; absent: the task itself. */
  instance?: string;
}

export function frameInside(frame: Frame, path: string, branchStop: BranchStop = frame.branchStop): Frame {
  return { ...frame, prefix: `${path}/`, branchStop, own: undefined };
}

/** @returns the last output of an executed step; null without one. Source: docs/workflow-language.md#calls. */
export async function runSteps(steps: readonly PlanStep[], frame: Frame): Promise<Json> {
  let output: Json = null;
  for (const step of steps) {
    frame.branchStop.check();
    const ended = await frame.runStep(step, frame);
    if (ended.ran) output = ended.output;
  }
  return output;
}
