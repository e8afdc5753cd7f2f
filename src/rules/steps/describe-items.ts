import type { FailureEnd, ItemFailure, LoopCounts } from '../../contracts/loops.js';
import type { StepSummary } from '../../contracts/task.js';
import { oneLine, startOf } from '../shown-text.js';

/** Failures are listed in groups, the gravest first. */
const ENDS: readonly FailureEnd[] = ['unknown', 'failed', 'denied', 'timed_out', 'cancelled'];
const WORDS: Record<FailureEnd, string> = {
  unknown: 'outcome unknown',
  failed: 'failed',
  denied: 'denied',
  timed_out: 'timed out',
  cancelled: 'cancelled',
};
const MAX_MESSAGE = 300;

/** Facts of a row about its turns. */
export type ToldTurns = Pick<StepSummary, 'path' | 'status' | 'items' | 'failures' | 'failures_left_out'> &
  Pick<StepSummary, 'turns' | 'attempts' | 'failed_turns'>;

/** An account of the turns of a step: one line, and a line for each failure listed. All are plain text. */
export interface TurnsTold {
  head: string;
  failures: { failure: ItemFailure; text: string }[];
  /** Summary of those that are not among {@link failures}; empty if there are none. */
  rest: string;
}

/**
 * Describes the outcomes of the items or turns of a loop, or of the turns of a step in one.
 *
 * @param most maximum number of listed failures; others are counted. @returns undefined for a step outside loops, and
 * for a loop that an earlier build did not count.
 */
export function tellTurns(row: ToldTurns, most: number): TurnsTold | undefined {
  const { items, failures: known = [], failures_left_out: left = 0 } = row;
  const shown = [...known].sort((one, other) => gravityOf(one) - gravityOf(other)).slice(0, most);
  const head = items ? countItems(items, shown.length) : countTurns(row);
  if (head === undefined) return undefined;
  const hidden = left + known.length - shown.length;
  const failures = shown.map((failure) => ({
    failure,
    text: `${wordOf(failure)}: ${nameOf(failure, row)}${tellEnd(failure)}`,
  }));
  const rest = hidden === 0 ? '' : `${hidden} ${shown.length === 0 ? '' : 'more '}not listed`;
  return { head, failures, rest };
}

/** As {@link tellTurns}, in one line: `19 of 20 succeeded; failed: item 12 (host-13) after 3 attempts: ...`. */
export function tellTurnsInLine(row: ToldTurns, most: number): string | undefined {
  const told = tellTurns(row, most);
  return told && [told.head, ...told.failures.map(({ text }) => text), told.rest].filter(Boolean).join('; ');
}

/** An item as people know it: `item 12 (host-13)`, `turn 3`. Numbers begin with 0, as in paths. */
export function nameOf({ item, label, path }: Pick<ItemFailure, 'item' | 'label' | 'path'>, row: ToldTurns): string {
  const isItem = row.items ? row.items.verb === 'foreach' : label !== undefined;
  const word = isItem ? 'item' : 'turn';
  const named = `${word} ${item}${label === undefined ? '' : ` (${oneLine(label)})`}`;
  const loop = loopOf(path, row);
  return loop === undefined ? named : `${named} of ${loop}`;
}

/** How an item that failed came to its end: ` after 3 attempts: script.exit: ...`. */
export function tellEnd({ attempts, rounds = 1, error }: ItemFailure): string {
  const tried = attempts > 1 ? `${attempts} attempts` : '';
  const again = rounds > 1 ? `${rounds} rounds` : '';
  const after = [again, tried && (again ? `the last of ${tried}` : tried)].filter(Boolean).join(', ');
  const [line = ''] = (error?.message ?? '').split('\n', 1);
  const why = error ? `: ${error.code}: ${oneLine(startOf(line, MAX_MESSAGE))}` : '';
  return `${after ? ` after ${after}` : ''}${why}`;
}

function wordOf({ status }: ItemFailure): string {
  return WORDS[status];
}

function gravityOf({ status }: ItemFailure): number {
  return ENDS.indexOf(status);
}

/** The run of a nested loop that an item belongs to; undefined if there is only one. */
function loopOf(path: string, { path: row, items }: ToldTurns): string | undefined {
  const names = row.split('/');
  const depth = items ? names.length : names.lastIndexOf('*');
  return names.slice(0, depth).includes('*') ? path.split('/').slice(0, depth).join('/') : undefined;
}

function countItems(items: LoopCounts, told: number): string {
  const { verb, total, succeeded, skipped = 0, running = 0, now = [], not_run = 0 } = items;
  if (verb === 'foreach' && total === 0) return 'no items';
  const unit = verb === 'repeat' ? ` ${total === 1 ? 'turn' : 'turns'}` : '';
  const head =
    verb === 'repeat' && succeeded === total ? `${total}${unit}` : `${succeeded} of ${total}${unit} succeeded`;
  const bad = ENDS.flatMap((end) => (items[end] ? [`${items[end]} ${WORDS[end]}`] : []));
  const names = now.map(({ item, label }) => `item ${item}${label === undefined ? '' : ` (${oneLine(label)})`}`);
  const more = running > now.length ? ` and ${running - now.length} more` : '';
  return [
    head,
    // The only failure is listed by its name.
    ...(failedIn(items) > 1 || told === 0 ? bad : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(not_run > 0 ? [`${not_run} not run`] : []),
    ...(running > 0 ? [`${running} running: ${names.join(', ')}${more}`] : []),
  ].join(', ');
}

function failedIn(items: LoopCounts): number {
  return ENDS.reduce((sum, end) => sum + (items[end] ?? 0), 0);
}

function countTurns({ turns, attempts, failed_turns: failed = 0 }: ToldTurns): string | undefined {
  if (turns === undefined || turns === 0) return undefined;
  const word = turns === 1 ? 'turn' : 'turns';
  const tried = attempts > turns ? `, ${attempts} attempts` : '';
  return failed === 0 ? `${turns} ${word}${tried}` : `failed in ${failed} of ${turns} ${word}${tried}`;
}
