import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Problem } from '../contracts/problem.js';
import { inFolder } from './record/in-folder.js';
import { maskDeep, maskSecrets } from './secrets.js';

/** Of each call this much is kept: half from its head, half from its tail. Source: answers, 17. */
const MOST_CHARACTERS = 1024 * 1024;
const MOST_IN_A_MESSAGE = 3000;
/** What a line takes besides its text, so that empty lines fill up the room as well. */
const LINE_OVERHEAD = 150;
const MOST_DROPPED = 1000;
/** How long a line may wait to be read by others. A call that ends sooner writes its log in one piece. */
const FLUSH_MS = 500;

/** What a line of a log says. */
export interface LogLine {
  time: string;
  step: string;
  attempt: number;
  stream: 'stdout' | 'stderr' | 'request' | 'tool' | 'runtime';
  text: string;
}

/**
 * Collects what one attempt of a call prints, and writes it as JSON lines to `<record>/logs/<step path>.jsonl`.
 *
 * The head is written while the attempt runs, so that it can be followed; the tail is only known at its end.
 */
export class CallLog {
  private readonly head: LogLine[] = [];
  private tail: LogLine[] = [];
  /** Lines at the start of `tail` that are given up; cutting them off one by one would be slow. */
  private dropped = 0;
  private headSize = 0;
  private tailSize = 0;
  private left = 0;
  /** So many lines of the head, and of the tail, are in the file. */
  private readonly saved = { head: 0, tail: 0 };
  private timer: NodeJS.Timeout | undefined;
  private readonly partial = new Map<LogLine['stream'], string>();
  private readonly secrets: string[] = [];
  private longestSecret = 0;

  constructor(
    private readonly folder: string | undefined,
    private readonly step: string,
    private readonly attempt: number,
  ) {}

  /** Masks a value wherever it is printed from now on. */
  hide(secret: string): void {
    this.secrets.push(secret);
    this.longestSecret = Math.max(this.longestSecret, secret.length);
  }

  /** A text with the known secrets masked, as for error messages. */
  mask(text: string): string {
    return maskSecrets(text, this.secrets);
  }

  /** The start of a text with the known secrets masked: masked first, since a cut secret is not found. */
  excerpt(text: string, most: number): string {
    return this.mask(text).slice(0, most);
  }

  /** A problem with the known secrets masked, wherever they stand in it. */
  maskProblem(problem: Problem): Problem {
    return this.maskDeep(problem) as Problem;
  }

  /** A value with the known secrets masked in all its texts. */
  maskDeep(value: unknown): unknown {
    return maskDeep(value, this.secrets);
  }

  /** Takes a chunk of output, which may end in the middle of a line. */
  write(stream: LogLine['stream'], chunk: string): void {
    const lines = ((this.partial.get(stream) ?? '') + chunk).split('\n');
    const rest = lines.pop() ?? '';
    const time = new Date().toISOString();
    for (const line of lines) this.add(stream, line, time);
    // A program that never ends its line must not fill the memory.
    if (rest.length <= MOST_CHARACTERS / 4) {
      this.partial.set(stream, rest);
      return;
    }
    // A secret that has only begun is not found yet; its start stays with what follows.
    const known = this.mask(rest);
    const cut = known.length - Math.min(this.longestSecret, MOST_CHARACTERS / 8);
    this.add(stream, known.slice(0, cut), time);
    this.partial.set(stream, known.slice(cut));
  }

  /** Takes one whole line. */
  add(stream: LogLine['stream'], text: string, time = new Date().toISOString()): void {
    const line = { time, step: this.step, attempt: this.attempt, stream, text };
    const half = MOST_CHARACTERS / 2;
    if (this.headSize < half) {
      this.head.push(line);
      this.headSize += sizeOf(line);
      if (this.folder) this.timer ??= setTimeout(() => this.flush(), FLUSH_MS).unref();
      return;
    }
    this.tail.push(line);
    this.tailSize += sizeOf(line);
    while (this.tailSize > half && this.tail.length - this.dropped > 1) {
      this.tailSize -= sizeOf(this.tail[this.dropped] as LogLine);
      this.dropped += 1;
    }
    if (this.dropped < MOST_DROPPED) return;
    this.forgetDropped();
  }

  /** The last lines of a stream, masked, for an error message. What is longer keeps its first lines, too. */
  tailOf(stream: LogLine['stream'], lines = 24): string {
    this.forgetDropped();
    const all = [...this.head, ...this.tail].filter((line) => line.stream === stream).map(({ text }) => text);
    const rest = this.partial.get(stream);
    if (rest) all.push(rest);
    const half = Math.floor(lines / 2);
    const kept = all.length > lines ? [...all.slice(0, half), '...', ...all.slice(-half)] : all;
    return shortened(this.mask(kept.join('\n'))).trim();
  }

  /**
   * Writes what was collected and is not written yet.
   *
   * @returns what to warn of: a log that cannot be written never fails a call.
   */
  save(): string | undefined {
    for (const [stream, rest] of this.partial) if (rest) this.add(stream, rest);
    this.partial.clear();
    this.forgetDropped();
    clearTimeout(this.timer);
    const { head, tail } = this.saved;
    const lines = [...this.head.slice(head), ...(tail === 0 ? this.gap() : []), ...this.tail.slice(tail)];
    const lost = this.append(lines);
    if (lost === undefined) Object.assign(this.saved, { head: this.head.length, tail: this.tail.length });
    return lost;
  }

  /** Lets what was printed so far be read. Nothing is made anew here: the record may have been deleted meanwhile. */
  private flush(): void {
    this.timer = undefined;
    if (!this.folder || !existsSync(this.folder)) return;
    const fresh = this.head.slice(this.saved.head);
    if (this.append(fresh) === undefined) this.saved.head += fresh.length;
  }

  private append(lines: LogLine[]): string | undefined {
    if (!this.folder || lines.length === 0) return undefined;
    const text = lines.map((line) => `${JSON.stringify({ ...line, text: this.mask(line.text) })}\n`).join('');
    try {
      const file = join(this.folder, `${this.step}.jsonl`);
      inFolder(file, () => appendFileSync(file, text));
      return undefined;
    } catch (error) {
      return `The log of ${this.step} could not be written: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  private forgetDropped(): void {
    this.tail.splice(0, this.dropped);
    this.saved.tail = Math.max(0, this.saved.tail - this.dropped);
    this.left += this.dropped;
    this.dropped = 0;
  }

  private gap(): LogLine[] {
    const [first] = this.tail;
    if (!first || this.left === 0) return [];
    return [{ ...first, stream: 'runtime', text: `... ${this.left} lines left out ...` }];
  }
}

function sizeOf({ text }: LogLine): number {
  return text.length + LINE_OVERHEAD;
}

/** An uncaught error has its message at the head and its properties at the tail; both are wanted. */
function shortened(text: string): string {
  if (text.length <= MOST_IN_A_MESSAGE) return text;
  const half = MOST_IN_A_MESSAGE / 2;
  return `${text.slice(0, half)}\n...\n${text.slice(-half)}`;
}
