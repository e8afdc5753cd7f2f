import type { LockState, SlotEntry, SlotRequest } from '../../contracts/concurrency.js';

/** Number of holders shown to a waiting task. */
const MAX_NAMED = 5;

/** A task that waits, and a newer one that takes its place. */
export interface Replaced {
  entry: SlotEntry;
  by: SlotEntry;
}

/**
 * The holders of one concurrency key and the waiting tasks, in the order of arrival. No two entries are of one task.
 */
export class Slots {
  private holding: SlotEntry[];
  private waiting: SlotEntry[];
  /** Holders by their ids, so that thousands can come at once. */
  private byTask: Map<string, SlotEntry>;
  /** Grows with each arrival and each departure. */
  version = 0;

  constructor({ holders, line }: Omit<LockState, 'key'>) {
    this.holding = [...holders];
    this.waiting = [...line];
    this.byTask = indexOf(this.holding);
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

  /** Enqueues a task; a repeated request is answered again with its state, with its current token. */
  enter(request: SlotRequest): void {
    this.version += 1;
    const holder = this.byTask.get(request.task);
    const known = holder ?? this.waiting.find(({ task }) => task === request.task);
    if (known?.run !== request.run) {
      // An id is used again only when its earlier execution is forgotten, and over.
      if (known) this.remove(known);
      this.queue(request);
      return;
    }
    if (request.token === undefined) delete known.token;
    else known.token = request.token;
    if (holder) known.told = false;
    else known.settled = false;
  }

  /** At the end of the line, where it comes for the first time. */
  private queue({ again, ...entry }: SlotRequest): void {
    const newer = again && entry.newest ? this.waiting.findIndex((other) => other.newest) : -1;
    if (newer === -1) this.waiting.push(entry);
    else this.waiting.splice(newer, 0, entry);
  }

  /** Lets a task go, wherever it is. */
  leave({ task, run }: Pick<SlotRequest, 'task' | 'run'>): void {
    const known = this.byTask.get(task) ?? this.waiting.find((entry) => entry.task === task);
    if (known?.run !== run) return;
    this.remove(known);
    this.version += 1;
  }

  /**
   * Gives the free slots to the first in the queue.
   *
   * A task whose caller is a holder shares its caller's slot, one at a time; all others form one queue.
   */
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
        // Called ones that were in before their caller take no slot from now on.
        if (!caller) taken = busy.has(entry.task) ? this.countTaken() : taken + 1;
        for (const task of callersOf(entry.task)) busy.add(task);
      } else {
        left.push(entry);
        if (!caller) isBlocked = true;
      }
    }
    this.waiting = left;
  }

  /** Ids of the tasks that keep an entry of the line out, a few of them. */
  heldBy(entry: SlotEntry): string[] {
    const caller = this.callerOf(entry);
    const names: string[] = [];
    for (const holder of this.holding) {
      if (caller ? isWithin(holder, caller) : !this.callerOf(holder)) names.push(holder.task);
      if (names.length === MAX_NAMED) break;
    }
    return names;
  }

  /**
   * The tasks that a newcomer cancels to get in: all that wait before it, which leave the queue at once, and as many of
   * the oldest holders as necessary. Tasks of its own family are spared, since it would end with them.
   */
  supersede(entry: SlotEntry): { holders: SlotEntry[]; waiting: SlotEntry[] } {
    const strangers = (other: SlotEntry): boolean => rootOf(other) !== rootOf(entry);
    const before = new Set(this.waiting.slice(0, this.waiting.indexOf(entry)).filter(strangers));
    this.waiting = this.waiting.filter((other) => !before.has(other));
    const caller = this.callerOf(entry);
    const taken = this.holding.filter((holder) => !this.callerOf(holder));
    const leaving = taken.filter(({ superseded }) => superseded).length;
    const most = caller ? 0 : Math.max(0, taken.length - leaving - entry.limit + 1);
    const holders = taken.filter((other) => !other.superseded && strangers(other)).slice(0, most);
    for (const holder of holders) holder.superseded = true;
    return { holders, waiting: [...before] };
  }

  /**
   * A waiting `newest` task, and the last such task that came after it: undefined if all may wait.
   *
   * Of several the last one, so that the others still precede the newest once it has the replaced one's place. Tasks of
   * one family do not replace each other, and one that waits for the slot of its caller is not in this queue.
   */
  findReplaced(): Replaced | undefined {
    let by: SlotEntry | undefined;
    for (const entry of this.waiting.toReversed()) {
      if (!entry.newest || this.callerOf(entry)) continue;
      if (by && rootOf(by) !== rootOf(entry)) return { entry, by };
      by ??= entry;
    }
    return undefined;
  }

  /** Takes a task out of the line, and puts the newer one in its place. */
  replace({ entry, by }: Replaced): void {
    this.waiting = this.waiting.flatMap((other) => (other === by ? [] : other === entry ? [by] : [other]));
  }

  /** Number of holders with a slot of their own. */
  private countTaken(): number {
    let count = 0;
    for (const holder of this.holding) if (!this.callerOf(holder)) count += 1;
    return count;
  }

  /** The holder that called a task, itself or through others: the nearest one. */
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

function indexOf(holders: readonly SlotEntry[]): Map<string, SlotEntry> {
  return new Map(holders.map((entry) => [entry.task, entry]));
}

/** Ids that a task called by others begins with, the longest first: of `a/b/c`, `a/b` and `a`. */
function callersOf(task: string): string[] {
  const callers: string[] = [];
  for (let end = task.lastIndexOf('/'); end > 0; end = task.lastIndexOf('/', end - 1)) callers.push(task.slice(0, end));
  return callers;
}

/** Whether one task was called by the other, judging by their ids. */
function isWithin(entry: SlotEntry, caller: SlotEntry): boolean {
  return entry.task.startsWith(`${caller.task}/`);
}

function rootOf({ task }: SlotEntry): string {
  return task.split('/', 1)[0] ?? task;
}
