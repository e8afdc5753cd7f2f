import type { StepDone, StepsDone } from '../../contracts/calls-made.js';
import type { PlanStep } from '../../contracts/plan.js';
import type { Progress, StepProgress } from '../../contracts/task.js';
import { isInTurn, isOfExpansion, isPlain } from '../../rules/steps/step-tree.js';
import { MadeTexts } from '../calls/calls-made.js';

/** Limit for steps outside loops, and also for steps in turns. */
const MAX_LISTED = 100;
/** Characters of all values together. */
const MAX_TEXT = 128 * 1024;
const MAX_MESSAGE = 2000;

/** An ended step, by reference: values are not copied before the task ends. */
interface Ended {
  verb: PlanStep['verb'];
  path: string;
  entry: StepProgress;
}

/** Steps in turns that call nothing; their entries are dropped at the end of the turn. */
export class StepsInTurns {
  readonly listed: Ended[] = [];

  /** @param count number of steps so far; of earlier runs of the task only the number is known. */
  constructor(public count: number) {}

  /** Records the end of a step, if it is a plain step in a turn. */
  note(step: PlanStep, path: string, entry: StepProgress | undefined): void {
    const { id, verb } = step;
    if (!entry || !isPlain(step) || isOfExpansion(id) || !isInTurn(path)) return;
    this.count += 1;
    if (this.listed.length < MAX_LISTED) this.listed.push({ verb, path, entry });
  }
}

/** Ended steps that call nothing, for the task's record: first those outside loops. */
export function stepsDone(
  listed: readonly { step: PlanStep; path: string }[],
  { progress, inTurns }: { progress: Progress; inTurns: StepsInTurns },
): StepsDone | undefined {
  const outside = listed.flatMap(({ step, path }): Ended[] => {
    const entry = progress[path];
    return entry && isPlain(step) && !isOfExpansion(step.id) ? [{ verb: step.verb, path, entry }] : [];
  });
  const all = outside.length + inTurns.count;
  if (all === 0) return undefined;
  const texts = new MadeTexts(MAX_TEXT);
  const done = [...outside.slice(0, MAX_LISTED), ...inTurns.listed].map((ended) => describe(ended, texts));
  return { listed: done, left_out: all - done.length };
}

function describe({ verb, path, entry: { status, output, error } }: Ended, texts: MadeTexts): StepDone {
  return {
    path,
    verb,
    status,
    ...(status === 'succeeded' && output !== undefined && { gave: texts.of(output) }),
    ...(error && { error: { code: error.code, message: error.message.slice(0, MAX_MESSAGE) } }),
  };
}
