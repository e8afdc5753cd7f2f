import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { RECORD_FILES } from '../../../../contracts/record.js';
import { oneLine, startOf } from '../../../../rules/shown-text.js';
import { recordPath } from '../../../../rules/tasks/record-path.js';

/** A line that a call wrote. */
export interface OutputLine {
  /** Path of the step, within its task. */
  step: string;
  attempt: number;
  /** ISO 8601, on the clock of the worker. */
  time: string;
  text: string;
}

/** How much of one call's new output is searched for its last line. */
const LAST_BYTES = 64 * 1024;
/** Of a line, as much as any screen shows. */
const MAX_SHOWN = 500;

/**
 * Reads the output of calls while they run: from the files of their records or, if these are on another machine, from the store that
 * workers share. No server or worker is queried.
 */
export class OutputReader {
  private readonly files = new Map<string, { log: GrowingFile; last: OutputLine | undefined }>();

  /** @param records folder of the records of the project. @param elsewhere left out: no store is shared. */
  constructor(
    private readonly records: string,
    private readonly elsewhere?: { lastLine(task: string, path: string): OutputLine | undefined },
  ) {}

  /** The last line that a call has written, as a terminal would show it; undefined where it wrote nothing. */
  lastLine(task: string, path: string): OutputLine | undefined {
    const file = join(this.records, ...recordPath(task), RECORD_FILES.logs, path);
    const known = this.files.get(file) ?? { log: new GrowingFile(`${file}.jsonl`, LAST_BYTES), last: undefined };
    this.files.set(file, known);
    for (const line of known.log.newLines()) known.last = seen(line) ?? known.last;
    const current = readCurrent(`${file}.now`);
    const last = current && (!known.last || current.time > known.last.time) ? current : known.last;
    return last ?? this.elsewhere?.lastLine(task, path);
  }
}

/** The line that a call is at, where it has not ended. */
function readCurrent(file: string): OutputLine | undefined {
  if (!statSync(file, { throwIfNoEntry: false })) return undefined;
  try {
    return seen(readFileSync(file, 'utf8'));
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}

/** A line of a log as people see it; undefined where nothing of it is seen. */
export function seen(json: string): OutputLine | undefined {
  const { step, attempt, time, text } = JSON.parse(json) as OutputLine;
  const shown = asShown(text);
  return shown === '' ? undefined : { step, attempt, time, text: shown };
}

/** A line as a terminal shows it in the end: without colors, and with the text after `\r` in place of the text before it. */
export function asShown(text: string): string {
  const parts = stripVTControlCharacters(text).split('\r');
  return startOf(oneLine(parts.findLast((part) => part.trim() !== '') ?? ''), MAX_SHOWN);
}

const USUAL_MOST = 1024 * 1024;

/** A file that another process appends to, read piece by piece: each line once, when it is whole. */
export class GrowingFile {
  private offset = 0;

  /** @param most bytes that are read at once at most; of what has grown by more, only the end is read. */
  constructor(
    private readonly path: string,
    private readonly most = USUAL_MOST,
  ) {}

  /** The lines completed since the last time; none while the file does not exist. */
  newLines(): string[] {
    let file: number;
    try {
      file = openSync(this.path, 'r');
    } catch {
      return [];
    }
    try {
      return this.read(file).split('\n').filter(Boolean);
    } finally {
      closeSync(file);
    }
  }

  private read(file: number): string {
    const { size } = fstatSync(file);
    // It was written anew.
    if (size < this.offset) this.offset = 0;
    const from = Math.max(this.offset, size - this.most);
    if (from === size) return '';
    const bytes = Buffer.alloc(size - from);
    const length = readSync(file, bytes, 0, bytes.length, from);
    const end = bytes.subarray(0, length).lastIndexOf(0x0a) + 1;
    const text = bytes.toString('utf8', 0, end);
    // The skipped part may have ended within a line.
    const first = from > this.offset ? text.indexOf('\n') + 1 : 0;
    this.offset = from + end;
    return text.slice(first);
  }
}
