import type { Json } from '../../contracts/json.js';
import type { ForeachStep } from '../../contracts/plan.js';
import type { StepProgress } from '../../contracts/task.js';
import { isSinceEngine2 } from '../../rules/engine.js';
import { stepsOfTurn } from '../../rules/inner-steps.js';
import { keepTurn, lastTurns, lastValues } from '../loops/last-turns.js';
import { openAccount } from '../loops/loop-account.js';
import { endItem, failTurn, type Turn } from '../loops/loop-turn.js';
import type { TaskRun } from '../task/task-run.js';
import { evaluate, evaluateCount, evaluateExpression } from './evaluate.js';
import { type Frame, frameInside } from './frame.js';
import { labelOfItem } from './item-label.js';
import { runMany } from './run-many.js';
import { runSteps } from './run-steps.js';
import { EndOfTask, StepFailure } from './step-failure.js';

/**
 * Runs the steps once for each item, at most `max_parallel` at once.
 *
 * Items one after the other see the outputs of the item before; items at once see only their own. An item that is done
 * leaves its output, a count and what the next one may read in the entry of the loop, so that a long list stays small; one
 * that failed leaves nothing to read, since a retry does it again. Source: docs/workflow-language.md#calls; docs/workflow-language.md#the-last-turn.
 *
 * @returns each item's last output, in the order of the list.
 */
export async function runForeach(run: TaskRun, step: ForeachStep, path: string, frame: Frame): Promise<Json> {
  const items = itemsOf(run, step, frame);
  const most = evaluateCount(run, step.max_parallel, frame);
  const inner = stepsOfTurn(step);
  const done = { ...run.progress[path]?.items };
  const keepDone = (index: number, output: Json): void => {
    done[index] = output;
    (run.progress[path] as StepProgress).items = done;
  };
  openAccount(run.progress[path] as StepProgress, items.length);
  /** Prefix of the last item that was done in this run, whose values the next one begins with. */
  let before: string | undefined;
  const runItem = async (index: number, inside: Frame): Promise<void> => {
    if (Object.hasOwn(done, index)) return;
    const prefix = `${path}/${index}/`;
    const last = lastTurns(run, path);
    run.values.enter(prefix, most === 1 ? (before ?? `${path}/${index - 1}/`) : undefined, lastValues(last));
    const names = { ...frame.names, [step.as]: items[index] as Json, ...(step.index && { [step.index]: index }) };
    const own = { ...frameInside(inside, `${path}/${index}`), names, last };
    const turn: Turn = { verb: 'foreach', loop: path, id: step.id, inner, item: index, labelOf: () => undefined };
    try {
      turn.labelOf = labelOfItem(run, step, items[index] as Json, { ...own, own: frame.own });
      run.underWay.begin(turn);
      keepDone(index, await runSteps(run, step.steps, own));
    } catch (error) {
      if (error instanceof EndOfTask) keepDone(index, error.output);
      failTurn(run, turn, error);
      // The next item sees what the last one that was done has left, in this run of the task as in the next.
      if (isSinceEngine2(run.plan)) run.values.leave(prefix);
      else before = prefix;
      throw error;
    } finally {
      run.underWay.end(turn);
    }
    if (most === 1) keepTurn(run, step, path, prefix);
    endItem(run, turn, step.steps);
    run.values.leave(most > 1 ? prefix : (before ?? `${path}/${index - 1}/`));
    before = prefix;
    run.changed();
  };
  try {
    await runMany(run, path, items.length, { most, onFailure: step.on_failure }, frame, runItem);
  } finally {
    if (before !== undefined) run.values.leave(before);
  }
  delete run.progress[path]?.last;
  return items.map((_, index) => done[index] ?? null);
}

function itemsOf(run: TaskRun, { foreach }: ForeachStep, frame: Frame): Json[] {
  if ('list' in foreach) return evaluate(run, foreach.list, frame) as Json[];
  const value = evaluateExpression(run, foreach.expression, frame);
  if (Array.isArray(value)) return value;
  throw new StepFailure({
    code: 'expression.not_list',
    message: `\`${foreach.expression}\` gives ${JSON.stringify(value).slice(0, 100)}, which is no list`,
    suggestion: 'Name a list; for a map write a comprehension over its keys.',
  });
}
