import type { Json } from '../../contracts/json.js';
import type { ForeachStep } from '../../contracts/plan.js';
import { oneLine, startOf } from '../../rules/shown-text.js';
import { stepsOfTurn } from '../../rules/steps/step-tree.js';
import { askOnce } from '../loops/ask-once.js';
import { keepTurn, lastTurns, lastValues } from '../loops/last-turns.js';
import { openAccount } from '../loops/loop-account.js';
import { endItem, failTurn, type Turn } from '../loops/loop-turn.js';
import { evaluate, evaluateCount, evaluateExpression, evaluateText } from './evaluate.js';
import { type Frame, frameInside, runSteps } from './frame.js';
import { runMany } from './run-many.js';
import { EndOfTask, StepFailure } from './step-failure.js';

/**
 * Runs the steps for each item, at most `max_parallel` at once. Sequential items see outputs of the previous one;
 * parallel ones only their own. A completed item leaves its output, a count and values for the next one, so that a
 * long list stays small; a failed one leaves no values: a retry repeats it. Source:
 * docs/workflow-language.md#calls; docs/workflow-language.md#the-last-turn. @returns each item's last output, in
 * order.
 */
export async function runForeach(step: ForeachStep, path: string, frame: Frame): Promise<Json> {
  const { run } = frame;
  const items = itemsOf(step, frame);
  const max = evaluateCount(step.max_parallel, frame);
  const inner = stepsOfTurn(step);
  const done = { ...run.steps.progress[path]?.items };
  const keepDone = (index: number, output: Json): void => {
    done[index] = output;
    run.steps.entry(path).items = done;
  };
  const decided = step.asks_once && (await askOnce(step, path, items, frame));
  openAccount(run.steps.entry(path), items.length);
  /** Prefix of the last item completed in this run; the next item starts with its values. */
  let before: string | undefined;
  const runItem = async (index: number, inside: Frame): Promise<void> => {
    if (Object.hasOwn(done, index)) return;
    const prefix = `${path}/${index}/`;
    const last = lastTurns(run.steps, path);
    run.steps.values.enter(prefix, max === 1 ? (before ?? `${path}/${index - 1}/`) : undefined, lastValues(last));
    const names = { ...frame.names, [step.as]: items[index] as Json, ...(step.index && { [step.index]: index }) };
    const own = { ...frameInside(inside, `${path}/${index}`), names, last, listed: decided?.get(index) };
    const turn: Turn = { verb: 'foreach', loop: path, id: step.id, inner, item: index, labelOf: () => undefined };
    try {
      turn.labelOf = labelOfItem(step, items[index] as Json, { ...own, own: frame.own });
      run.steps.underWay.begin(turn);
      keepDone(index, await runSteps(step.steps, own));
    } catch (error) {
      if (error instanceof EndOfTask) keepDone(index, error.output);
      failTurn(run, turn, error);
      // The next item sees the values of the last completed one, in this run of the task as in the next.
      run.steps.values.leave(prefix);
      throw error;
    } finally {
      run.steps.underWay.end(turn);
    }
    if (max === 1) keepTurn(run.steps, step, path, prefix);
    endItem(run.steps, turn, step.steps);
    run.steps.values.leave(max > 1 ? prefix : (before ?? `${path}/${index - 1}/`));
    before = prefix;
    run.life.changed();
  };
  try {
    await runMany(path, items.length, { max, onFailure: step.on_failure }, frame, runItem);
  } finally {
    if (before !== undefined) run.steps.values.leave(before);
  }
  delete run.steps.progress[path]?.last;
  return items.map((_, index) => done[index] ?? null);
}

function itemsOf({ foreach }: ForeachStep, frame: Frame): Json[] {
  if ('list' in foreach) return evaluate(foreach.list, frame) as Json[];
  const value = evaluateExpression(foreach.expression, frame);
  if (Array.isArray(value)) return value;
  throw new StepFailure({
    code: 'expression.not_list',
    message: `\`${foreach.expression}\` gives ${JSON.stringify(value).slice(0, 100)}, which is no list`,
    suggestion: 'Name a list; for a map write a comprehension over its keys.',
  });
}

/**
 * For people. Evaluates a `label` at once, so that a mistake shows before any call; makes the default only on
 * request. @throws StepFailure `expression.*`.
 */
function labelOfItem(step: ForeachStep, item: Json, frame: Frame): () => string | undefined {
  if (step.label !== undefined) {
    const label = labelFrom(evaluateText(step.label, frame));
    return () => label;
  }
  let made: { label: string | undefined } | undefined;
  return () => {
    made ??= { label: defaultLabel(item) };
    return made.label;
  };
}

/** Maximum characters: reports list the label of every failed item. */
const MAX_LABEL = 80;

/** Reduces a text to one short line without invisible characters; undefined if it is empty. */
export function labelFrom(text: string): string | undefined {
  // Avoids reading a long text to its end.
  const line = oneLine(startOf(text.trimStart(), 2 * MAX_LABEL));
  const label = line.length > MAX_LABEL ? `${startOf(line, MAX_LABEL - 3)}...` : line;
  return label === '' ? undefined : label;
}

/** For an item without `label`: a string, number or boolean itself, else the beginning of its JSON. */
export function defaultLabel(item: Json): string | undefined {
  if (item === null) return undefined;
  return labelFrom(typeof item === 'object' ? JSON.stringify(item) : String(item));
}
