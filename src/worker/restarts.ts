/** So many ends in a row, each soon after its start, mean that another start would not help. */
const MOST = 5;
/** A server that has lived this long was well; whatever ended it says nothing of the next one. Milliseconds. */
const WELL_MS = 3000;
const FIRST_PAUSE_MS = 100;

/** Decides whether a server that ended is started again: however often one is killed, but not one that cannot live. */
export class Restarts {
  private startedAt = 0;
  private soon = 0;

  /** @param now milliseconds. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** The server was started. */
  started(): void {
    this.startedAt = this.now();
  }

  /** The server ended. @returns how long to wait before it is started again, in milliseconds; undefined: do not. */
  ended(): number | undefined {
    this.soon = this.now() - this.startedAt < WELL_MS ? this.soon + 1 : 1;
    return this.soon > MOST ? undefined : FIRST_PAUSE_MS * this.soon;
  }
}
