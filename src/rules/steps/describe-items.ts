import type { FailureEnd, ItemFailure, LoopCounts } from '../../contracts/loops.js';
import type { PlanStep } from '../../contracts/plan.js';
import type { StepSummary } from '../../contracts/task.js';
import { isCatchable } from '../calls/error-families.js';
import { oneLine, startOf } from '../shown-text.js';

/** From the most to the least severe; failures are listed in this order. */
const ENDS: readonly FailureEnd[] = ['unknown', 'failed', 'denied', 'timed_out', 'cancelled'];
const WORDS: Record<FailureEnd, string> = {
  unknown: 'outcome unknown',
  failed: 'failed',
  denied: 'denied',
  timed_out: 'timed out',
  cancelled: 'cancelled',
};
const MAX_MESSAGE = 300;

export type TurnsRow = Pick<StepSummary, 'path' | 'status' | 'items' | 'failures' | 'failures_left_out'> &
  Pick<StepSummary, 'turns' | 'attempts' | 'failed_turns'>;

/** The turns of a step in plain text: a summary, and a line for each listed failure. */
export interface TurnsDescription {
  head: string;
  failures: { failure: ItemFailure; text: string }[];
  /** How many failures are not listed; empty if none. */
  rest: string;
}

/**
 * Describes the items or turns of a loop, or a step's turns in one. @param max maximum number of listed failures.
 * @returns undefined for a step outside loops.
 */
export function describeTurns(row: TurnsRow, max: number): TurnsDescription | undefined {
  const { items, failures: known = [], failures_left_out: left = 0 } = row;
  const shown = [...known].sort((one, other) => severityOf(one) - severityOf(other)).slice(0, max);
  const head = items ? countItems(items, shown.length) : countTurns(row);
  if (head === undefined) return undefined;
  const hidden = left + known.length - shown.length;
  const failures = shown.map((failure) => ({
    failure,
    text: `${WORDS[failure.status]}: ${nameOf(failure, row)}${describeEnd(failure)}`,
  }));
  const rest = hidden === 0 ? '' : `${hidden} ${shown.length === 0 ? '' : 'more '}not listed`;
  return { head, failures, rest };
}

/** {@link describeTurns} in one line: `19 of 20 succeeded; failed: item 12 (host-13) after 3 attempts: ...`. */
export function describeTurnsInLine(row: TurnsRow, max: number): string | undefined {
  const described = describeTurns(row, max);
  return (
    described &&
    [described.head, ...described.failures.map(({ text }) => text), described.rest].filter(Boolean).join('; ')
  );
}

/** Such as `item 12 (host-13)` or `turn 3`. Numbers begin with 0, as in paths. */
export function nameOf({ item, label, path }: Pick<ItemFailure, 'item' | 'label' | 'path'>, row: TurnsRow): string {
  const isItem = row.items ? row.items.verb === 'foreach' : label !== undefined;
  const word = isItem ? 'item' : 'turn';
  const named = `${word} ${item}${label === undefined ? '' : ` (${oneLine(label)})`}`;
  const loop = loopOf(path, row);
  return loop === undefined ? named : `${named} of ${loop}`;
}

/** Attempts and error of a failed item: ` after 3 attempts: script.exit: ...`. */
export function describeEnd({ attempts, rounds = 1, error }: ItemFailure): string {
  const tried = attempts > 1 ? `${attempts} attempts` : '';
  const again = rounds > 1 ? `${rounds} rounds` : '';
  const after = [again, tried && (again ? `the last of ${tried}` : tried)].filter(Boolean).join(', ');
  const why = error ? `: ${reasonOf(error)}` : '';
  return `${after ? ` after ${after}` : ''}${why}`;
}

function severityOf({ status }: ItemFailure): number {
  return ENDS.indexOf(status);
}

/** The run of a nested loop that an item belongs to; undefined if the loop is not nested. */
function loopOf(path: string, { path: row, items }: TurnsRow): string | undefined {
  const names = row.split('/');
  const depth = items ? names.length : names.lastIndexOf('*');
  return names.slice(0, depth).includes('*') ? path.split('/').slice(0, depth).join('/') : undefined;
}

function countItems(items: LoopCounts, listed: number): string {
  const { verb, total, succeeded, skipped = 0, running = 0, now = [], not_run = 0 } = items;
  if (verb === 'foreach' && total === 0) return 'no items';
  const unit = verb === 'repeat' ? ` ${total === 1 ? 'turn' : 'turns'}` : '';
  const head =
    verb === 'repeat' && succeeded === total ? `${total}${unit}` : `${succeeded} of ${total}${unit} succeeded`;
  const bad = ENDS.flatMap((end) => (items[end] ? [`${items[end]} ${WORDS[end]}`] : []));
  const failed = ENDS.reduce((sum, end) => sum + (items[end] ?? 0), 0);
  const names = now.map(({ item, label }) => `item ${item}${label === undefined ? '' : ` (${oneLine(label)})`}`);
  const more = running > now.length ? ` and ${running - now.length} more` : '';
  return [
    head,
    // A single failure is listed instead.
    ...(failed > 1 || listed === 0 ? bad : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(not_run > 0 ? [`${not_run} not run`] : []),
    ...(running > 0 ? [`${running} running: ${names.join(', ')}${more}`] : []),
  ].join(', ');
}

function countTurns({ turns, attempts, failed_turns: failed = 0 }: TurnsRow): string | undefined {
  if (turns === undefined || turns === 0) return undefined;
  const word = turns === 1 ? 'turn' : 'turns';
  const tried = attempts > turns ? `, ${attempts} attempts` : '';
  return failed === 0 ? `${turns} ${word}${tried}` : `failed in ${failed} of ${turns} ${word}${tried}`;
}

const MAX_DESCRIBED = 20;
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
    return (row.turns === undefined ? describeOnce(row) : describeForgivenTurns(row)) ?? [];
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

function describeForgivenTurns(row: StepSummary): string | undefined {
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
