import type { LockState, SlotEntry, SlotRequest } from '../contracts/concurrency.js';

/** So many holders are named to a task that has to wait. */
const MOST_NAMED = 5;

/** Who holds one concurrency key, and who waits for it, in the order of arrival. No two entries are of one task. */
export class Slots {
  private holding: SlotEntry[];
  private waiting: SlotEntry[];
  /** Grows with each arrival and each departure. */
  version = 0;

  constructor({ holders, line }: Omit<LockState, 'key'>) {
    this.holding = [...holders];
    this.waiting = [...line];
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

  /** Takes a task into the line; one that asks again is told again how it stands. */
  enter(request: SlotRequest): void {
    this.version += 1;
    // An id is used again only when its earlier execution is forgotten, and over.
    this.keep((entry) => entry.task !== request.task || entry.run === request.run);
    const holder = this.holding.find(({ task }) => task === request.task);
    const known = this.waiting.find(({ task }) => task === request.task);
    if (holder) holder.told = false;
    else if (known) known.settled = false;
    else this.waiting.push({ ...request });
  }

  /** Lets a task go, wherever it is. */
  leave({ task, run }: Pick<SlotRequest, 'task' | 'run'>): void {
    const before = this.holding.length + this.waiting.length;
    this.keep((entry) => entry.task !== task || entry.run !== run);
    if (this.holding.length + this.waiting.length < before) this.version += 1;
  }

  /**
   * Gives the free slots to those first in line.
   *
   * A task whose caller is a holder goes in with its caller's slot, one at a time; all others stand in one line.
   */
  admit(): void {
    let isBlocked = false;
    for (const entry of this.line) {
      const caller = this.callerOf(entry);
      const goesIn = caller ? this.isIdle(caller) : !isBlocked && this.taken().length < entry.limit;
      if (goesIn) this.moveIn(entry);
      else if (!caller) isBlocked = true;
    }
  }

  /** Ids of the tasks that keep an entry of the line out, a few of them. */
  heldBy(entry: SlotEntry): string[] {
    const caller = this.callerOf(entry);
    const holders = caller ? this.holding.filter((holder) => isWithin(holder, caller)) : this.taken();
    return holders.slice(0, MOST_NAMED).map(({ task }) => task);
  }

  /**
   * What a newcomer has cancelled to get in: all that wait before it, who leave the line at once, and as many of the
   * oldest holders as it takes. Tasks of its own family are spared, since it would end with them.
   */
  supersede(entry: SlotEntry): { holders: SlotEntry[]; waiting: SlotEntry[] } {
    const strangers = (other: SlotEntry): boolean => rootOf(other) !== rootOf(entry);
    const before = this.waiting.slice(0, this.waiting.indexOf(entry)).filter(strangers);
    this.waiting = this.waiting.filter((other) => !before.includes(other));
    const caller = this.callerOf(entry);
    const taken = this.taken();
    const leaving = taken.filter(({ superseded }) => superseded).length;
    const most = caller ? 0 : Math.max(0, taken.length - leaving - entry.limit + 1);
    const holders = taken.filter((other) => !other.superseded && strangers(other)).slice(0, most);
    for (const holder of holders) holder.superseded = true;
    return { holders, waiting: before };
  }

  /** Holders that take a slot of their own. */
  private taken(): SlotEntry[] {
    return this.holding.filter((entry) => !this.callerOf(entry));
  }

  /** The holder that called a task, itself or through others. */
  private callerOf(entry: SlotEntry): SlotEntry | undefined {
    return this.holding
      .filter((holder) => isWithin(entry, holder))
      .sort((one, other) => other.task.length - one.task.length)[0];
  }

  private isIdle(caller: SlotEntry): boolean {
    return !this.holding.some((holder) => isWithin(holder, caller));
  }

  private moveIn(entry: SlotEntry): void {
    this.waiting = this.waiting.filter((other) => other !== entry);
    const { settled: _, ...request } = entry;
    this.holding.push(request);
  }

  private keep(wanted: (entry: SlotEntry) => boolean): void {
    this.holding = this.holding.filter(wanted);
    this.waiting = this.waiting.filter(wanted);
  }
}

/** Whether a task is one that another one called, as their ids tell. */
function isWithin(entry: SlotEntry, caller: SlotEntry): boolean {
  return entry.task.startsWith(`${caller.task}/`);
}

function rootOf({ task }: SlotEntry): string {
  return task.split('/', 1)[0] ?? task;
}
