import type { PlanStep } from '../contracts/plan.js';
import type { StepDone, StepsDone } from '../contracts/run-sinks.js';
import { isOfExpansion } from '../rules/step-name.js';
import { MadeTexts } from './made-texts.js';
import type { TaskRun } from './task-run.js';

const MOST_LISTED = 100;
/** Characters of all values together. */
const MOST_OF_ALL = 128 * 1024;
const MOST_OF_A_MESSAGE = 2000;
const PLAIN: ReadonlySet<PlanStep['verb']> = new Set(['let', 'wait', 'approval', 'fail', 'end']);

/** What became of the steps that call nothing, for the record of the task; those of loops are counted by their rows alone. */
export function stepsDone({ listed, progress }: TaskRun): StepsDone | undefined {
  const texts = new MadeTexts(MOST_OF_ALL);
  const done = listed.flatMap(({ step, path }) => {
    const entry = progress[path];
    return entry && PLAIN.has(step.verb) && !isOfExpansion(step.id) ? [{ step, path, entry }] : [];
  });
  if (done.length === 0) return undefined;
  const told = done.slice(0, MOST_LISTED).map(({ step, path, entry }): StepDone => {
    const { status, output, error } = entry;
    return {
      path,
      verb: step.verb,
      status,
      ...(status === 'succeeded' && output !== undefined && { gave: texts.of(output) }),
      ...(error && { error: { code: error.code, message: error.message.slice(0, MOST_OF_A_MESSAGE) } }),
    };
  });
  return { listed: told, left_out: done.length - told.length };
}
