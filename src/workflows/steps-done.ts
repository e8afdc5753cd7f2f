import type { PlanStep } from '../contracts/plan.js';
import type { StepDone, StepsDone } from '../contracts/run-sinks.js';
import type { StepProgress } from '../contracts/task.js';
import { isOfExpansion } from '../rules/step-name.js';
import { isInTurn } from '../rules/turn-paths.js';
import { isPlain } from '../rules/verbs.js';
import { MadeTexts } from './made-texts.js';
import type { TaskRun } from './task-run.js';

/** Of those outside of loops; and of those in loops, from the first on. */
const MOST_LISTED = 100;
/** Characters of all values together. */
const MOST_OF_ALL = 128 * 1024;
const MOST_OF_A_MESSAGE = 2000;

/** A step that has ended, by reference: nothing is copied before the task ends. */
interface Ended {
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

/** What became of the steps that call nothing, for the record of the task: those outside of loops, then those in turns. */
export function stepsDone({ listed, progress, inTurns }: TaskRun): StepsDone | undefined {
  const outside = listed.flatMap(({ step, path }): Ended[] => {
    const entry = progress[path];
    return entry && isPlain(step) && !isOfExpansion(step.id) ? [{ verb: step.verb, path, entry }] : [];
  });
  const all = outside.length + inTurns.count;
  if (all === 0) return undefined;
  const texts = new MadeTexts(MOST_OF_ALL);
  const told = [...outside.slice(0, MOST_LISTED), ...inTurns.listed].map((ended) => tell(ended, texts));
  return { listed: told, left_out: all - told.length };
}

function tell({ verb, path, entry: { status, output, error } }: Ended, texts: MadeTexts): StepDone {
  return {
    path,
    verb,
    status,
    ...(status === 'succeeded' && output !== undefined && { gave: texts.of(output) }),
    ...(error && { error: { code: error.code, message: error.message.slice(0, MOST_OF_A_MESSAGE) } }),
  };
}
