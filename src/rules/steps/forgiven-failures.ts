import type { PlanStep } from '../../contracts/plan.js';
import type { StepSummary } from '../../contracts/task.js';
import { isCatchable } from '../calls/error-families.js';
import { oneLine, startOf } from '../shown-text.js';
import { nameOf } from './describe-items.js';

const MAX_DESCRIBED = 20;
const MAX_MESSAGE = 300;
const FAILED: ReadonlySet<StepSummary['status']> = new Set(['failed', 'timed_out', 'denied']);

/** `path` has `*` in place of turn numbers. */
type ListedStep = { step: PlanStep; path: string };

/**
 * A sentence for each failure that `continue_on_error` forgave; one for all turns of a step in a loop.
 * @param listed the steps of the task's plan. @param rows of its result.
 */
export function describeForgiven(listed: readonly ListedStep[], rows: readonly StepSummary[]): string[] {
  const forgiving = new Set(listed.flatMap(({ step, path }) => (step.continue_on_error ? [path] : [])));
  if (forgiving.size === 0) return [];
  const sentences = rows.flatMap((row) => {
    if (!forgiving.has(row.path)) return [];
    return (row.turns === undefined ? describeOnce(row) : describeTurns(row)) ?? [];
  });
  const left = sentences.length - MAX_DESCRIBED;
  return [
    ...sentences.slice(0, MAX_DESCRIBED),
    ...(left > 0 ? [`${left} more steps failed and the task went on`] : []),
  ];
}

function describeOnce({ path, status, error }: StepSummary): string | undefined {
  if (!FAILED.has(status) || !error || !isCatchable(error.code)) return undefined;
  return `The step ${path} failed and the task went on (continue_on_error): ${reasonOf(error)}`;
}

function describeTurns(row: StepSummary): string | undefined {
  const { path, failures = [], failures_left_out: left = 0, items, failed_turns = 0, error } = row;
  // Turns that went on after the step failed: the row of the loop reports failures that ended a turn.
  const count = items ? failed_turns : failures.length + left;
  if (count === 0) return undefined;
  const { turns = count } = row;
  // The failures of a nested loop are those of its own turns.
  const [first] = items ? [] : failures;
  const head = `The step ${path} failed in ${count} of ${turns} ${turns === 1 ? 'turn' : 'turns'}, which went on (continue_on_error)`;
  if (first) return `${head}; first ${nameOf(first, row)}${first.error ? `: ${reasonOf(first.error)}` : ''}`;
  return error ? `${head}: ${reasonOf(error)}` : head;
}

function reasonOf({ code, message }: { code: string; message: string }): string {
  const [line = ''] = message.split('\n', 1);
  return `${code}: ${oneLine(startOf(line, MAX_MESSAGE))}`;
}
