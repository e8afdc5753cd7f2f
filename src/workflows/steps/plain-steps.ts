import type { StepDone, StepsDone } from '../../contracts/calls-made.js';
import { isOfExpansion } from '../../rules/step-name.js';
import { isPlain } from '../../rules/verbs.js';
import { MadeTexts } from '../calls/made-texts.js';
import type { TaskRun } from '../task/task-run.js';
import { type Ended, MOST_LISTED } from './steps-in-turns.js';

/** Characters of all values together. */
const MOST_OF_ALL = 128 * 1024;
const MOST_OF_A_MESSAGE = 2000;

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
