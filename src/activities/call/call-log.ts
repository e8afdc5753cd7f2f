import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Problem, reasonOf } from '../../contracts/problem.js';
import { REQUESTS_LOG } from '../../contracts/record.js';
import { inFolder } from '../../disk/write-files.js';
import { Masker } from '../../planning/secrets/masking/masker.js';
import type { SharedLog } from '../record/record-folder.js';
import { type LogLine, LogLines, MAX_CHARACTERS } from './log-lines.js';
import { countWhole, maskLines } from './mask-lines.js';

const MAX_IN_A_MESSAGE = 3000;
/** Maximum delay before others can read a line. A shorter call writes its log in one piece. */
const FLUSH_MS = 500;
/** Streams of calls that print nothing themselves. */
const OF_REQUESTS: ReadonlySet<LogLine['stream']> = new Set(['request', 'tool']);
/** Unique to this process, since a network mount would not order the writes of two. */
const REQUESTS = `${REQUESTS_LOG}${randomBytes(4).toString('hex')}`;

/**
 * Collects the output of one attempt as JSON lines in `<record>/logs/<step path>.jsonl`; a successful call with
 * only requests goes to a shared file, since creating a file is half the cost of a log. The head is written during
 * the attempt, so that it can be followed, the tail at its end. Secrets are masked over all lines of a stream
 * together when read or written, so that none is missed at a cut.
 */
export class CallLog {
  private readonly masker = new Masker();
  private readonly lines = new LogLines(() => this.masker.widest);
  private readonly saved = { head: 0, tail: new WeakSet<LogLine>(), gap: false };
  private timer: NodeJS.Timeout | undefined;
  private readonly current: CurrentLine | undefined;
  /** The last line, if the saved log does not contain it. */
  private latest: LogLine | undefined;
  private readonly partial = new Map<LogLine['stream'], string>();

  constructor(
    private readonly folder: string | undefined,
    private readonly step: string,
    private readonly attempt: number,
    private readonly shared?: SharedLog,
  ) {
    this.current = folder === undefined ? undefined : new CurrentLine(join(folder, `${step}.now`), this.masker);
  }

  /** Masks a value in all output from now on. */
  hide(secret: string): void {
    this.masker.hide(secret);
  }

  mask(text: string): string {
    return this.masker.mask(text);
  }

  /** The start of a text, masked before it is cut, since masking does not find a cut secret. */
  excerpt(text: string, max: number): string {
    return this.mask(text).slice(0, max);
  }

  maskProblem(problem: Problem): Problem {
    return this.maskDeep(problem) as Problem;
  }

  maskDeep(value: unknown): unknown {
    return this.masker.maskDeep(value);
  }

  /** Takes a chunk of output, which may end in the middle of a line. */
  write(stream: LogLine['stream'], chunk: string): void {
    const end = chunk.lastIndexOf('\n');
    const before = this.partial.get(stream) ?? '';
    const time = new Date().toISOString();
    if (end >= 0) {
      const lines = (before + chunk.slice(0, end)).split('\n');
      for (const line of this.lines.fitting(lines)) this.add(stream, line, time);
    }
    const rest = end >= 0 ? chunk.slice(end + 1) : before + chunk;
    // A program that never ends its line must not fill the memory.
    const isLong = rest.length > MAX_CHARACTERS / 4;
    if (isLong) this.add(stream, rest, time);
    this.partial.set(stream, isLong ? '' : rest);
    if (rest.trim() !== '' && !isLong) this.at({ ...this.lineOf(stream, rest), time });
  }

  add(stream: LogLine['stream'], text: string, time = new Date().toISOString()): void {
    const line = { time, step: this.step, attempt: this.attempt, stream, text };
    if (this.lines.isFull) this.at(line);
    else {
      this.latest = undefined;
      this.wake();
    }
    this.lines.add(line);
  }

  /** Remembers a line that the saved log does not contain yet. */
  private at(line: LogLine): void {
    this.latest = line;
    this.wake();
  }

  private wake(): void {
    if (this.folder) this.timer ??= setTimeout(() => this.flush(), FLUSH_MS).unref();
  }

  /** The last lines of a stream, masked, for an error message. Longer output keeps its first lines, too. */
  tailOf(stream: LogLine['stream'], lines = 24): string {
    const { head, afterHead, tail, beforeTail } = this.lines;
    const rest = this.partial.get(stream);
    const end = rest ? [...tail, this.lineOf(stream, rest)] : tail;
    const of = (kept: LogLine[]): LogLine[] => kept.filter((line) => line.stream === stream);
    const after = this.lines.isFull ? afterHead : end;
    const all = [
      ...maskLines(of(head), { before: [], after }, this.masker),
      ...maskLines(of(end), { before: beforeTail, after: [] }, this.masker),
    ];
    const texts = all.map(({ text }) => text);
    const half = Math.floor(lines / 2);
    const kept = texts.length > lines ? [...texts.slice(0, half), '...', ...texts.slice(-half)] : texts;
    return shortened(kept.join('\n')).trim();
  }

  /** @param hasSucceeded the log of a failed call is a file of its own. @returns a warning if writing failed. */
  save(hasSucceeded = false): string | undefined {
    for (const [stream, rest] of this.partial) if (rest) this.add(stream, rest);
    this.partial.clear();
    clearTimeout(this.timer);
    this.timer = undefined;
    this.latest = undefined;
    this.current?.remove();
    const { head, afterHead, tail, beforeTail } = this.lines;
    const fresh = tail.filter((line) => !this.saved.tail.has(line));
    const before = [...beforeTail, ...tail.slice(0, tail.length - fresh.length)];
    const saved = this.saved.head;
    const lines = [
      ...maskLines(head.slice(saved), { before: head.slice(0, saved), after: afterHead }, this.masker),
      ...(this.saved.gap ? [] : this.gap()),
      ...maskLines(fresh, { before, after: [] }, this.masker),
    ];
    const isOfRequests = hasSucceeded && saved === 0 && lines.every(({ stream }) => OF_REQUESTS.has(stream));
    const lost = this.append(lines, isOfRequests ? REQUESTS : this.step);
    this.shared?.end();
    if (lost !== undefined) return lost;
    this.saved.head = head.length;
    for (const line of fresh) this.saved.tail.add(line);
    this.saved.gap ||= tail.length > 0;
    return undefined;
  }

  /** Makes the output so far readable. Creates no folder: the record may have been deleted meanwhile. */
  private flush(): void {
    this.timer = undefined;
    if (!this.folder || !existsSync(this.folder)) return;
    const { head } = this.lines;
    const before = head.slice(0, this.saved.head);
    const fresh = head.slice(this.saved.head);
    const whole = countWhole(fresh, before, this.masker);
    if (this.append(maskLines(fresh, { before, after: [] }, this.masker).slice(0, whole)) === undefined)
      this.saved.head += whole;
    const { latest } = this;
    this.latest = undefined;
    if (latest) this.current?.show(latest, this.linesBefore(latest));
  }

  private linesBefore(latest: LogLine): LogLine[] {
    if (this.masker.widest === 0) return [];
    return [...this.lines.head, ...this.lines.tail].filter((line) => line !== latest);
  }

  private append(lines: LogLine[], name = this.step): string | undefined {
    if (!this.folder || lines.length === 0) return undefined;
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    try {
      const file = join(this.folder, `${name}.jsonl`);
      inFolder(file, () => appendFileSync(file, text));
      this.shared?.append(text);
      return undefined;
    } catch (error) {
      return `The log of ${this.step} could not be written: ${reasonOf(error)}`;
    }
  }

  private gap(): LogLine[] {
    const [first] = this.lines.tail;
    if (!first || this.lines.gap === 0) return [];
    return [{ ...first, stream: 'runtime', text: `... ${this.lines.gap} lines left out ...` }];
  }

  private lineOf(stream: LogLine['stream'], text: string): LogLine {
    return { time: '', step: this.step, attempt: this.attempt, stream, text };
  }
}

/** An uncaught error has its message at the head and its properties at the tail; both are wanted. */
function shortened(text: string): string {
  if (text.length <= MAX_IN_A_MESSAGE) return text;
  const half = MAX_IN_A_MESSAGE / 2;
  return `${text.slice(0, half)}\n...\n${text.slice(-half)}`;
}

/** Maximum shown length of a line that has not ended. */
const MAX_SHOWN = 1000;

/**
 * The current line of a call in a file of its own, if the log lacks it: an unfinished one, such as a progress bar,
 * or one after the head of a long log. It is overwritten each time, removed when the log is saved, and never fails
 * a call. A killed worker leaves it behind, so readers compare its time with the log's.
 */
export class CurrentLine {
  private isWritten = false;

  constructor(
    private readonly file: string,
    private readonly masker: Masker,
  ) {}

  /** Shows a line, masked, unless a secret may begin in it. @param before lines before it. */
  show(line: LogLine, before: readonly LogLine[]): void {
    if (countWhole([line], before, this.masker) === 0) return;
    const [masked = line] = maskLines([line], { before, after: [] }, this.masker);
    // Masked before it is cut at `\r`: a secret may contain that character.
    const text = JSON.stringify({ ...masked, text: lastPart(masked.text).slice(-MAX_SHOWN) });
    try {
      inFolder(this.file, () => writeFileSync(`${this.file}.new`, text));
      // Readers must not see half a line.
      renameSync(`${this.file}.new`, this.file);
      this.isWritten = true;
    } catch {
      // The log reports failed writes.
    }
  }

  remove(): void {
    if (!this.isWritten) return;
    this.isWritten = false;
    rmSync(this.file, { force: true });
  }
}

/** The visible part of a line in which `\r` returns to the start. */
function lastPart(text: string): string {
  const parts = text.split('\r');
  return parts.findLast((part) => part.trim() !== '') ?? '';
}
