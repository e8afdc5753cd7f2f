import type { PlanStep } from '../../contracts/plan.js';
import type { StepProgress } from '../../contracts/task.js';
import { isOfExpansion } from '../../rules/step-name.js';
import { isInTurn } from '../../rules/turn-paths.js';
import { isPlain } from '../../rules/verbs.js';

/** So many of them are listed. */
export const MOST_LISTED = 100;

/** A step that has ended, by reference: nothing is copied before the task ends. */
export interface Ended {
  verb: PlanStep['verb'];
  path: string;
  entry: StepProgress;
}

/** What became of the steps in the turns of loops that call nothing; what is noted of a turn goes with its end. */
export class StepsInTurns {
  readonly listed: Ended[] = [];

  /** @param count how many there were so far, in earlier runs of the task as well: those are counted alone. */
  constructor(public count: number) {}

  /** Notes the end of a step that ran; all but plain steps in turns are told otherwise. */
  note(step: PlanStep, path: string, entry: StepProgress | undefined): void {
    const { id, verb } = step;
    if (!entry || !isPlain(step) || isOfExpansion(id) || !isInTurn(path)) return;
    this.count += 1;
    if (this.listed.length < MOST_LISTED) this.listed.push({ verb, path, entry });
  }
}
