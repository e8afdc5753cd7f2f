import type { FailureEnd, ItemEnd, ItemFailure, ItemName, LoopProgress } from '../../contracts/loops.js';
import type { PlanStep } from '../../contracts/plan.js';
import type { Problem } from '../../contracts/problem.js';
import type { Progress, StepProgress } from '../../contracts/task.js';
import { addNumber } from '../../rules/number-ranges.js';
import { defined } from '../../text/defined.js';
import { errorOf, isOrigin } from '../steps/step-notes.js';

/** Number of failures of a loop that are listed; the rest is counted. */
const MAX_FAILURES = 20;

/** Most severe first; they replace others in the list. */
const GRAVITY: readonly FailureEnd[] = ['unknown', 'failed', 'denied', 'timed_out', 'cancelled'];

/** Creates the account if it is missing. */
export function openAccount(entry: StepProgress, total?: number): LoopProgress {
  entry.loop ??= { ended: {} };
  if (total !== undefined) entry.loop.total = total;
  return entry.loop;
}

export function noteDone(account: LoopProgress, item: number, isSkipped: boolean): void {
  const status = isSkipped ? 'skipped' : 'succeeded';
  const before = account.ended.skipped ?? 0;
  account.ended[status] = (account.ended[status] ?? 0) + 1;
  // Ranges dropped as too many do not begin again: those of later items alone would be wrong.
  if (!isSkipped || (before > 0 && !account.skipped)) return;
  const ranges = addNumber(account.skipped ?? [], item);
  if (ranges) account.skipped = ranges;
  else delete account.skipped;
}

export function noteFailed(account: LoopProgress, failure: ItemFailure): void {
  account.ended[failure.status] = (account.ended[failure.status] ?? 0) + 1;
  account.failures = addFailure(account.failures, failure);
}

/** Adds a failure if there is room, else in place of a less severe one. */
export function addFailure(failures: readonly ItemFailure[] = [], added: ItemFailure): ItemFailure[] {
  if (failures.length < MAX_FAILURES) return [...failures, added];
  const gravityOf = ({ status }: ItemFailure): number => GRAVITY.indexOf(status);
  const least = failures.reduce((one, other) => (gravityOf(other) >= gravityOf(one) ? other : one));
  return gravityOf(added) < gravityOf(least) ? [...failures.filter((one) => one !== least), added] : [...failures];
}

/** Undefined for steps that are not loops. */
export function accountOf({ loop, turn }: StepProgress): LoopProgress | undefined {
  if (loop?.total !== undefined) return loop;
  if (!loop && turn === undefined) return undefined;
  const { ended = {}, ...noted } = loop ?? {};
  // `turn` does not count a turn that ended the task.
  const succeeded = (turn ?? 0) + (ended.succeeded ?? 0);
  return { ...noted, total: succeeded + failedOf({ ended }), ended: { ...ended, succeeded } };
}

function failedOf({ ended }: Pick<LoopProgress, 'ended'>): number {
  const { succeeded: _, skipped: __, ...failed } = ended;
  return Object.values(failed).reduce((sum, count) => sum + count, 0);
}

/** Merges two accounts, without skipped items and turn counts, which belong to one loop. */
export function joinAccounts(one: LoopProgress, other?: LoopProgress): LoopProgress {
  const ended = { ...other?.ended };
  for (const [status, count] of Object.entries(one.ended) as [ItemEnd, number][]) {
    ended[status] = (ended[status] ?? 0) + count;
  }
  const failures = (one.failures ?? []).reduce<ItemFailure[]>(addFailure, [...(other?.failures ?? [])]);
  return { total: (one.total ?? 0) + (other?.total ?? 0), ended, ...(failures.length > 0 && { failures }) };
}

export interface EndedTurn extends ItemName {
  /** Such as `hosts/12`. */
  path: string;
  /** The steps of the turn; paths are relative to it. */
  inner: readonly { step: PlanStep; path: string }[];
}

/** @param problem undefined: the turn was cancelled. */
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
    ...defined({ rounds, task: at.task }),
    ...errorOf(problem && { status, error: problem }),
  };
}

/** Compares beginnings, since one message may have been cut. */
function isSame(one: Pick<Problem, 'code' | 'message'> | undefined, other: Problem | undefined): boolean {
  if (!one || !other) return one === other;
  return one.code === other.code && (other.message.startsWith(one.message) || one.message === other.message);
}

/** Number of items under way that a view names. */
const MAX_NAMED = 3;

interface ItemUnderWay {
  loop: string;
  item: number;
  labelOf: () => string | undefined;
}

/** The running items of each loop; not carried to the next run. */
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

  /** Number of running items of a loop, and the names of the first. */
  of(loop: string): { running: number; now: ItemName[] } {
    const items = this.loops.get(loop) ?? new Map<number, () => string | undefined>();
    const now = [...items].slice(0, MAX_NAMED).map(([item, labelOf]) => {
      const label = labelOf();
      return { item, ...(label !== undefined && { label }) };
    });
    return { running: items.size, now };
  }
}
