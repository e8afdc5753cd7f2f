/** Kept of each call: half head, half tail. Source: docs/operations.md#looking-into-a-task. */
export const MAX_CHARACTERS = 1024 * 1024;
const HALF = MAX_CHARACTERS / 2;
/** Size of a line besides its text, so that empty lines also count. */
const LINE_OVERHEAD = 150;
/** Dropped lines are removed in batches: one by one would be slow. */
const MAX_DROPPED = 1000;

export interface LogLine {
  time: string;
  step: string;
  attempt: number;
  stream: 'stdout' | 'stderr' | 'request' | 'tool' | 'runtime';
  text: string;
}

/** The lines of one attempt of a call; only head and tail are kept. */
export class LogLines {
  readonly head: LogLine[] = [];
  private all: LogLine[] = [];
  /** Dropped lines at the start of `all`, kept while a secret may continue from them into the tail. */
  private dropped = 0;
  private left = 0;
  private readonly next: LogLine[] = [];
  private readonly size = { head: 0, next: 0, tail: 0, dropped: 0 };

  /** @param context number of characters next to head and tail to keep with them. */
  constructor(private readonly context: () => number) {}

  get isFull(): boolean {
    return this.size.head >= HALF;
  }

  get gap(): number {
    return this.left + this.dropped;
  }

  get tail(): LogLine[] {
    return this.all.slice(this.dropped);
  }

  /** Lines after the head, as many as a secret may continue into. */
  get afterHead(): LogLine[] {
    return this.next;
  }

  get beforeTail(): LogLine[] {
    return this.gap === 0 ? this.head : this.all.slice(0, this.dropped);
  }

  add(line: LogLine): void {
    const size = sizeOf(line);
    if (!this.isFull) {
      this.head.push(line);
      this.size.head += size;
      return;
    }
    if (this.size.next < this.context()) {
      this.next.push(line);
      this.size.next += size;
    }
    this.all.push(line);
    this.size.tail += size;
    while (this.size.tail > HALF && this.all.length - this.dropped > 1) this.drop();
    if (this.dropped >= MAX_DROPPED || this.size.dropped > HALF) this.forget();
  }

  /** The last of many lines, if the others would be dropped at once. */
  fitting(lines: string[]): string[] {
    // Twice as many as the tail can hold: the others become the context before it.
    const max = Math.ceil((2 * HALF) / LINE_OVERHEAD);
    if (!this.isFull || lines.length <= max) return lines;
    this.left += lines.length - max + this.all.length;
    this.all = [];
    Object.assign(this.size, { tail: 0, dropped: 0 });
    this.dropped = 0;
    return lines.slice(-max);
  }

  private drop(): void {
    const size = sizeOf(this.all[this.dropped] as LogLine);
    this.size.tail -= size;
    this.size.dropped += size;
    this.dropped += 1;
  }

  private forget(): void {
    const wanted = this.context();
    let kept = 0;
    let first = this.dropped;
    while (first > 0 && kept < wanted) {
      first -= 1;
      kept += sizeOf(this.all[first] as LogLine);
    }
    this.all.splice(0, first);
    this.left += first;
    this.dropped -= first;
    this.size.dropped = kept;
  }
}

function sizeOf({ text }: LogLine): number {
  return text.length + LINE_OVERHEAD;
}
