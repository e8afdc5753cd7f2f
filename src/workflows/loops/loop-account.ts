import type { FailureEnd, ItemEnd, ItemFailure, ItemName, LoopProgress } from '../../contracts/loops.js';
import type { PlanStep } from '../../contracts/plan.js';
import type { Problem } from '../../contracts/problem.js';
import type { Progress, StepProgress } from '../../contracts/task.js';
import { addNumber } from '../../rules/number-ranges.js';
import { errorOf, isOrigin } from '../steps/step-notes.js';

/** Number of failures of a loop that are listed; the rest is counted. */
const MAX_FAILURES = 20;

/** The gravest first: it must not be left out. */
const GRAVITY: readonly FailureEnd[] = ['unknown', 'failed', 'denied', 'timed_out', 'cancelled'];

/** The account of a loop's turns in its entry; created if missing, or if an earlier build kept only notes. */
export function openAccount(entry: StepProgress, total?: number): LoopProgress {
  if (!entry.loop) {
    const done = Object.keys(entry.items ?? {}).length;
    entry.loop = { ended: done > 0 ? { succeeded: done } : {} };
  }
  if (total !== undefined) entry.loop.total = total;
  return entry.loop;
}

/** Notes how an item ended that did not fail. */
export function noteDone(account: LoopProgress, item: number, isSkipped: boolean): void {
  const status = isSkipped ? 'skipped' : 'succeeded';
  const before = account.ended.skipped ?? 0;
  account.ended[status] = (account.ended[status] ?? 0) + 1;
  // Once there were too many ranges, those of later items alone would be wrong.
  if (!isSkipped || (before > 0 && !account.skipped)) return;
  const ranges = addNumber(account.skipped ?? [], item);
  if (ranges) account.skipped = ranges;
  else delete account.skipped;
}

/** Notes a turn that did not succeed. */
export function noteFailed(account: LoopProgress, failure: ItemFailure): void {
  account.ended[failure.status] = (account.ended[failure.status] ?? 0) + 1;
  account.failures = addFailure(account.failures, failure);
}

/** Adds a failure while there is room, or in the place of a less grave one. */
export function addFailure(failures: readonly ItemFailure[] = [], added: ItemFailure): ItemFailure[] {
  if (failures.length < MAX_FAILURES) return [...failures, added];
  const gravityOf = ({ status }: ItemFailure): number => GRAVITY.indexOf(status);
  const least = failures.reduce((one, other) => (gravityOf(other) >= gravityOf(one) ? other : one));
  return gravityOf(added) < gravityOf(least) ? [...failures.filter((one) => one !== least), added] : [...failures];
}

/** The account of the turns of a loop; undefined for other steps, and where an earlier build noted nothing. */
export function accountOf({ loop, turn }: StepProgress): LoopProgress | undefined {
  if (loop?.total !== undefined) return loop;
  if (!loop && turn === undefined) return undefined;
  const { ended = {}, ...noted } = loop ?? {};
  // A turn that has ended the task is not among the turns that the loop has done.
  const succeeded = (turn ?? 0) + (ended.succeeded ?? 0);
  return { ...noted, total: succeeded + failedOf({ ended }), ended: { ...ended, succeeded } };
}

function failedOf({ ended }: Pick<LoopProgress, 'ended'>): number {
  const { succeeded: _, skipped: __, ...failed } = ended;
  return Object.values(failed).reduce((sum, count) => sum + count, 0);
}

/** Two accounts as one; which items were skipped is only known of one loop alone, and turns are counted apart. */
export function joinAccounts(one: LoopProgress, other?: LoopProgress): LoopProgress {
  const ended = { ...other?.ended };
  for (const [status, count] of Object.entries(one.ended) as [ItemEnd, number][]) {
    ended[status] = (ended[status] ?? 0) + count;
  }
  const failures = (one.failures ?? []).reduce<ItemFailure[]>(addFailure, [...(other?.failures ?? [])]);
  return { total: (one.total ?? 0) + (other?.total ?? 0), ended, ...(failures.length > 0 && { failures }) };
}

/** A finished turn to be noted. */
export interface EndedTurn extends ItemName {
  /** Path of the turn: `hosts/12`. */
  path: string;
  /** The steps in it, with their paths from there. */
  inner: readonly { step: PlanStep; path: string }[];
}

/** Where and how a turn ended that did not succeed. @param problem undefined: it was cancelled. */
export function describeFailure(
  progress: Progress,
  { path, inner, ...name }: EndedTurn,
  status: FailureEnd,
  problem: Problem | undefined,
): ItemFailure {
  const entries = inner.flatMap((listed) => {
    const entry = progress[`${path}/${listed.path}`];
    return entry && entry.status !== 'succeeded' ? [{ ...listed, path: `${path}/${listed.path}`, entry }] : [];
  });
  const own = entries.filter(({ entry }) => (problem ? isSame(entry.error, problem) : entry.status === 'cancelled'));
  const inLoop = own.flatMap(({ entry }) => entry.loop?.failures ?? []).find(({ error }) => isSame(error, problem));
  const origin = own.find((one) => isOrigin(one.path, one.entry)) ?? own.at(-1);
  const at = inLoop ?? { path: origin?.path ?? path, attempts: origin?.entry.attempts ?? 0, task: origin?.entry.child };
  const around = entries.filter(({ step, path: outer }) => step.verb === 'steps' && at.path.startsWith(`${outer}/`));
  const rounds = inLoop?.rounds ?? around.findLast(({ entry }) => (entry.attempts ?? 0) > 1)?.entry.attempts;
  return {
    ...name,
    status,
    path: at.path,
    attempts: at.attempts,
    ...(rounds !== undefined && { rounds }),
    ...(at.task !== undefined && { task: at.task }),
    ...errorOf(problem && { status, error: problem }),
  };
}

/** A message may have been cut on one side. */
function isSame(one: Pick<Problem, 'code' | 'message'> | undefined, other: Problem | undefined): boolean {
  if (!one || !other) return one === other;
  return one.code === other.code && (other.message.startsWith(one.message) || one.message === other.message);
}

/** Number of items under way that a view names. */
const MAX_NAMED = 3;

/** One item, with the path of its loop. */
interface ItemUnderWay {
  loop: string;
  item: number;
  labelOf: () => string | undefined;
}

/** The items of each loop that are under way in this run; not carried on. */
export class ItemsUnderWay {
  private readonly loops = new Map<string, Map<number, () => string | undefined>>();

  /** The label is made on request, since most items are never named. */
  begin({ loop, item, labelOf }: ItemUnderWay): void {
    const items = this.loops.get(loop) ?? new Map<number, () => string | undefined>();
    this.loops.set(loop, items.set(item, labelOf));
  }

  end({ loop, item }: Omit<ItemUnderWay, 'labelOf'>): void {
    this.loops.get(loop)?.delete(item);
  }

  /** Number of items of a loop under way, and the names of the first. */
  of(loop: string): { running: number; now: ItemName[] } {
    const items = this.loops.get(loop) ?? new Map<number, () => string | undefined>();
    const now = [...items].slice(0, MAX_NAMED).map(([item, labelOf]) => {
      const label = labelOf();
      return { item, ...(label !== undefined && { label }) };
    });
    return { running: items.size, now };
  }
}
