import type { FailureEnd, ItemName, TurnCount } from '../../contracts/loops.js';
import type { PlanStep } from '../../contracts/plan.js';
import { isStepEnd, type StepStatus } from '../../contracts/states.js';
import type { Progress, StepProgress } from '../../contracts/task.js';
import { generalPath, isInTurn, stepsOfTurn, turnOf } from '../../rules/steps/step-tree.js';
import { durationOf, errorOf, isBeside, isOrigin } from '../steps/step-notes.js';
import { accountOf, addFailure, joinAccounts } from './loop-account.js';

/** The first of these statuses that occurs is shown for all turns. */
const BY_WEIGHT: readonly StepStatus[] = [
  'running',
  'waiting',
  'unknown',
  'denied',
  'timed_out',
  'failed',
  'cancelled',
  'succeeded',
  'pending',
  'skipped',
];

export interface CountedTurn {
  path: string;
  /** The steps of the turn without nested loops' steps; paths are relative to it. */
  inner: readonly { step: PlanStep; path: string }[];
  /** Called only where a failure is to be named. */
  nameOf: () => ItemName;
  /** Paths of failures listed in accounts of outer and inner loops. */
  named?: readonly string[];
}

/** Adds up the turns of every step in a loop, by its path with `*` for the numbers. */
export function countTurns(progress: Progress): Map<string, TurnCount> {
  const counts = new Map<string, TurnCount>();
  const open: [string, StepProgress][] = [];
  const listed = new Set<string>();
  for (const [path, entry] of Object.entries(progress)) {
    for (const turns of [entry.turns, entry.loop?.turns]) addAll(counts, turns);
    for (const failure of entry.loop?.failures ?? []) listed.add(failure.path);
    // An undo or a question that was not needed does not count as a step.
    if (isInTurn(path) && !(isBeside(path) && entry.status === 'pending')) open.push([path, entry]);
  }
  for (const [path, entry] of open) {
    addEntry(counts, path, entry, () => ({ item: turnOf(path) }), listed.has(path));
  }
  return counts;
}

/**
 * Drops the entries of an ended turn and adds them to the counts of its loop, with those that an inner `repeat`
 * kept of its last turns. @param into the entry of the loop, or its note of turns that did not succeed.
 */
export function foldTurn(progress: Progress, into: { turns?: Record<string, TurnCount> }, turn: CountedTurn): void {
  const counts = new Map(Object.entries(into.turns ?? {}));
  foldInto(counts, progress, turn);
  into.turns = Object.fromEntries(counts);
}

function foldInto(
  counts: Map<string, TurnCount>,
  progress: Progress,
  { path, inner, nameOf, named = [] }: CountedTurn,
) {
  for (const listed of inner) {
    const at = `${path}/${listed.path}`;
    const entry = progress[at];
    if (!entry) continue;
    const known = [...named, ...(entry.loop?.failures ?? []).map((failure) => failure.path)];
    if (listed.step.verb === 'repeat') {
      const further = { inner: stepsOfTurn(listed.step), named: known };
      for (const item of turnsAtHand(entry)) {
        foldInto(counts, progress, { ...further, path: `${at}/${item}`, nameOf: () => ({ item }) });
      }
    }
    addEntry(counts, at, entry, nameOf, named.includes(at));
    for (const turns of [entry.turns, entry.loop?.turns]) addAll(counts, turns);
    delete progress[at];
  }
}

/** Turns of a `repeat` with kept entries: the last finished one, and the next if it failed. */
export function turnsAtHand({ turn: done = 0 }: StepProgress): number[] {
  return [done - 1, done].filter((turn) => turn >= 0);
}

/** In milliseconds. */
export function wallTimeOf({ from, to, duration_ms }: TurnCount): number {
  return duration_ms + (from === undefined || to === undefined ? 0 : to - from);
}

function addEntry(
  counts: Map<string, TurnCount>,
  path: string,
  entry: StepProgress,
  nameOf: () => ItemName,
  isListed: boolean,
): void {
  const { status, attempts = 0, child } = entry;
  const failed = errorOf(entry);
  const isBad = isStepEnd(status) && status !== 'succeeded' && status !== 'skipped';
  const count: TurnCount = { ...timesOf(entry), turns: status === 'skipped' ? 0 : 1, attempts, status, ...failed };
  if (isBad) count.failed = 1;
  if (isBad && failed.error && !isListed && (isBeside(path) || isOrigin(path, entry))) {
    const task = child === undefined ? {} : { task: child };
    count.failures = [{ ...nameOf(), status: status as FailureEnd, path, attempts, ...task, ...failed }];
    count.covered = 1;
  }
  const account = accountOf(entry);
  if (account) count.loop = account;
  addTurns(counts, generalPath(path), count);
}

function timesOf(entry: StepProgress): Pick<TurnCount, 'duration_ms' | 'from' | 'to'> {
  const { started_at, finished_at } = entry;
  if (!started_at) return { duration_ms: durationOf(entry) ?? 0 };
  const from = Date.parse(started_at);
  return { duration_ms: 0, from, to: finished_at ? Date.parse(finished_at) : from };
}

function addAll(counts: Map<string, TurnCount>, turns: Record<string, TurnCount> = {}): void {
  for (const [path, count] of Object.entries(turns)) addTurns(counts, path, count);
}

/** Adds a count to the total of its path; the two share no lists afterwards. */
function addTurns(counts: Map<string, TurnCount>, path: string, added: TurnCount): void {
  const before = counts.get(path);
  if (!before) {
    const { failures, loop, ...rest } = added;
    counts.set(path, {
      ...rest,
      ...(failures && { failures: [...failures] }),
      ...(loop && { loop: joinAccounts(loop) }),
    });
    return;
  }
  before.turns += added.turns;
  before.attempts += added.attempts;
  before.duration_ms += added.duration_ms;
  if (added.from !== undefined) before.from = Math.min(added.from, before.from ?? added.from);
  if (added.to !== undefined) before.to = Math.max(added.to, before.to ?? added.to);
  if (added.failed) before.failed = (before.failed ?? 0) + added.failed;
  if (added.covered) before.covered = (before.covered ?? 0) + added.covered;
  for (const failure of added.failures ?? []) before.failures = addFailure(before.failures, failure);
  if (added.loop) before.loop = joinAccounts(added.loop, before.loop);
  if (BY_WEIGHT.indexOf(added.status) >= BY_WEIGHT.indexOf(before.status)) return;
  before.status = added.status;
  if (added.error) before.error = added.error;
}
