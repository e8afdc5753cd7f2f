/** Amount kept of each call: half from its head, half from its tail. Source: docs/operations.md#looking-into-a-task. */
export const MAX_CHARACTERS = 1024 * 1024;
const HALF = MAX_CHARACTERS / 2;
/** Size of a line besides its text, so that empty lines also count. */
const LINE_OVERHEAD = 150;
/** Lines that are given up are cut off together: one by one would be slow. */
const MAX_DROPPED = 1000;

/** One line of a log. */
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
  /** Lines at the start of `all` that are given up. They are kept while a secret may go on from them into the tail. */
  private dropped = 0;
  private left = 0;
  private readonly next: LogLine[] = [];
  private readonly size = { head: 0, next: 0, tail: 0, dropped: 0 };

  /** @param context number of characters next to head and tail to keep with them. */
  constructor(private readonly context: () => number) {}

  /** Whether new lines go into the tail. */
  get isFull(): boolean {
    return this.size.head >= HALF;
  }

  /** The lines between head and tail that are not kept. */
  get gap(): number {
    return this.left + this.dropped;
  }

  /** The lines that are kept of the end. */
  get tail(): LogLine[] {
    return this.all.slice(this.dropped);
  }

  /** All lines after the head, whether kept or not. */
  get afterHead(): LogLine[] {
    return this.next;
  }

  /** Lines before the tail, as far as they are still known. */
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

  /** The end of many lines, where the others would be given up at once. */
  fitting(lines: string[]): string[] {
    // Twice as many as the tail can hold: the rest are the lines before it.
    const most = Math.ceil((2 * HALF) / LINE_OVERHEAD);
    if (!this.isFull || lines.length <= most) return lines;
    this.left += lines.length - most + this.all.length;
    this.all = [];
    Object.assign(this.size, { tail: 0, dropped: 0 });
    this.dropped = 0;
    return lines.slice(-most);
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
