import { type LockState, ON_BUSY, type SlotEntry, type SlotRequest } from '../../contracts/concurrency.js';
import { rootOf } from '../tasks/task-ids.js';

const MAX_NAMED = 5;

export interface Replaced {
  entry: SlotEntry;
  by: SlotEntry;
}

const isNewest = ({ on_busy }: SlotEntry): boolean => on_busy === 'newest';

/** Holders of one concurrency key and waiting tasks, in order of arrival; at most one entry per task. */
export class Slots {
  private holding: SlotEntry[];
  private waiting: SlotEntry[];
  private byTask: Map<string, SlotEntry>;
  /** Incremented whenever a task enters or leaves. */
  version = 0;

  constructor({ holders, line }: Omit<LockState, 'key'>) {
    this.holding = [...holders];
    this.waiting = [...line];
    this.byTask = new Map(holders.map((entry) => [entry.task, entry]));
  }

  get holders(): readonly SlotEntry[] {
    return this.holding;
  }

  get line(): readonly SlotEntry[] {
    return this.waiting;
  }

  get isEmpty(): boolean {
    return this.holding.length === 0 && this.waiting.length === 0;
  }

  /** Enqueues a task. A repeated request updates its token, and its state is reported again. */
  enter(request: SlotRequest): void {
    this.version += 1;
    const holder = this.byTask.get(request.task);
    const known = holder ?? this.waiting.find(({ task }) => task === request.task);
    if (known?.run !== request.run) {
      // An id is reused only after its earlier execution has ended.
      if (known) this.remove(known);
      this.queue(request);
      return;
    }
    known.token = request.token;
    if (holder) known.told = false;
    else known.settled = false;
  }

  /** Appends an entry. A `newest` one that comes again goes before the other `newest` ones. */
  private queue({ again, ...entry }: SlotRequest): void {
    const newer = again && isNewest(entry) ? this.waiting.findIndex(isNewest) : -1;
    if (newer === -1) this.waiting.push(entry);
    else this.waiting.splice(newer, 0, entry);
  }

  leave({ task, run }: Pick<SlotRequest, 'task' | 'run'>): void {
    const known = this.byTask.get(task) ?? this.waiting.find((entry) => entry.task === task);
    if (known?.run !== run) return;
    this.remove(known);
    this.version += 1;
  }

  /** In queue order. A task whose caller is a holder shares its slot, one at a time, outside the queue. */
  admit(): void {
    if (this.waiting.length === 0) return;
    const busy = new Set(this.holding.flatMap(({ task }) => callersOf(task)));
    const left: SlotEntry[] = [];
    let taken = this.countTaken();
    let isBlocked = false;
    for (const entry of this.waiting) {
      const caller = this.callerOf(entry);
      const goesIn = caller ? !busy.has(caller.task) : !isBlocked && taken < entry.limit;
      if (goesIn) {
        this.moveIn(entry);
        // Called tasks that entered before their caller now share its slot.
        if (!caller) taken = busy.has(entry.task) ? this.countTaken() : taken + 1;
        for (const task of callersOf(entry.task)) busy.add(task);
      } else {
        left.push(entry);
        if (!caller) isBlocked = true;
      }
    }
    this.waiting = left;
  }

  /** Task ids of up to {@link MAX_NAMED} holders that block an entry. */
  heldBy(entry: SlotEntry): string[] {
    const caller = this.callerOf(entry);
    const names: string[] = [];
    for (const holder of this.holding) {
      if (caller ? holder.task.startsWith(`${caller.task}/`) : !this.callerOf(holder)) names.push(holder.task);
      if (names.length === MAX_NAMED) break;
    }
    return names;
  }

  /**
   * Cancels all tasks waiting before it and as many of the oldest holders as necessary, but none of its own
   * family, which would end with it. Waiting ones leave the queue at once.
   */
  supersede(entry: SlotEntry): { holders: SlotEntry[]; waiting: SlotEntry[] } {
    const strangers = (other: SlotEntry): boolean => rootOf(other.task) !== rootOf(entry.task);
    const before = new Set(this.waiting.slice(0, this.waiting.indexOf(entry)).filter(strangers));
    this.waiting = this.waiting.filter((other) => !before.has(other));
    const caller = this.callerOf(entry);
    const taken = this.holding.filter((holder) => !this.callerOf(holder));
    const leaving = taken.filter(({ superseded }) => superseded).length;
    const needed = caller ? 0 : Math.max(0, taken.length - leaving - entry.limit + 1);
    const holders = taken.filter((other) => !other.superseded && strangers(other)).slice(0, needed);
    for (const holder of holders) holder.superseded = true;
    return { holders, waiting: [...before] };
  }

  /**
   * The last waiting `newest` task, `by`, and the last one before it, whose place it takes, so that the others
   * still precede it. Tasks of one family do not replace each other; one that waits for its caller's slot is not
   * in this queue. Undefined if all may wait.
   */
  findReplaced(): Replaced | undefined {
    let by: SlotEntry | undefined;
    for (const entry of this.waiting.toReversed()) {
      if (!isNewest(entry) || this.callerOf(entry)) continue;
      if (by && rootOf(by.task) !== rootOf(entry.task)) return { entry, by };
      by ??= entry;
    }
    return undefined;
  }

  replace({ entry, by }: Replaced): void {
    this.waiting = this.waiting.flatMap((other) => (other === by ? [] : other === entry ? [by] : [other]));
  }

  /** Holders that do not share a slot with their caller. */
  private countTaken(): number {
    let count = 0;
    for (const holder of this.holding) if (!this.callerOf(holder)) count += 1;
    return count;
  }

  /** The nearest of a task's callers that is a holder. */
  private callerOf({ task }: SlotEntry): SlotEntry | undefined {
    for (const caller of callersOf(task)) {
      const holder = this.byTask.get(caller);
      if (holder) return holder;
    }
    return undefined;
  }

  private moveIn(entry: SlotEntry): void {
    const { settled: _, ...request } = entry;
    this.holding.push(request);
    this.byTask.set(request.task, request);
  }

  private remove(entry: SlotEntry): void {
    this.holding = this.holding.filter((other) => other !== entry);
    this.waiting = this.waiting.filter((other) => other !== entry);
    if (this.byTask.get(entry.task) === entry) this.byTask.delete(entry.task);
  }
}

/** The ids of all callers, nearest first: for `a/b/c`, `a/b` and `a`. */
function callersOf(task: string): string[] {
  const callers: string[] = [];
  for (let end = task.lastIndexOf('/'); end > 0; end = task.lastIndexOf('/', end - 1)) callers.push(task.slice(0, end));
  return callers;
}

/** Our own tokens are much shorter. */
const LONGEST_TOKEN = 100;

/** A lock started by hand may have any value: drops invalid and duplicate entries, so that tasks go on. */
export function readLockState(value: unknown): LockState {
  const { key, holders, line } = fieldsOf(value);
  const seen = new Set<string>();
  const entriesOf = (list: unknown): SlotEntry[] =>
    (Array.isArray(list) ? list : []).flatMap((item: unknown) => {
      if (!isRequest(item) || seen.has(item.task)) return [];
      seen.add(item.task);
      return [pickEntry(item)];
    });
  return { key: typeof key === 'string' ? key : '', holders: entriesOf(holders), line: entriesOf(line) };
}

/** Undefined if it is invalid. */
export function readSlotRequest(value: unknown): SlotRequest | undefined {
  return isRequest(value) ? pickRequest(value) : undefined;
}

/** Undefined if it is invalid. */
export function readSlotReference(value: unknown): Pick<SlotRequest, 'task' | 'run'> | undefined {
  return isReference(value) ? { task: value.task, run: value.run } : undefined;
}

function pickEntry(entry: SlotRequest): SlotEntry {
  const { settled, told, superseded } = fieldsOf(entry);
  return {
    ...pickRequest(entry),
    ...(typeof settled === 'boolean' && { settled }),
    ...(typeof told === 'boolean' && { told }),
    ...(typeof superseded === 'boolean' && { superseded }),
  };
}

function pickRequest({ task, run, limit, on_busy, again, token }: SlotRequest): SlotRequest {
  return { task, run, limit, on_busy, ...(again === true && { again }), token };
}

function isReference(value: unknown): value is Pick<SlotRequest, 'task' | 'run'> {
  const { task, run } = fieldsOf(value);
  return typeof task === 'string' && task !== '' && typeof run === 'string';
}

function isRequest(value: unknown): value is SlotRequest {
  const { limit, on_busy, token } = fieldsOf(value);
  return (
    isReference(value) &&
    Number.isSafeInteger(limit) &&
    Number(limit) >= 1 &&
    ON_BUSY.some((known) => known === on_busy) &&
    typeof token === 'string' &&
    token !== '' &&
    token.length <= LONGEST_TOKEN
  );
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' ? { ...value } : {};
}
