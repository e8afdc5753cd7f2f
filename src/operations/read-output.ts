import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { RECORD_FILES } from '../contracts/record.js';
import { parseJson } from '../disk/read-json.js';
import { oneLine, startOf } from '../rules/shown-text.js';
import { recordPath } from '../rules/tasks/task-ids.js';
import { attempt } from '../text/attempt.js';

export interface OutputLine {
  /** Path of the step, within its task. */
  step: string;
  attempt: number;
  /** ISO 8601, on the clock of the worker. */
  time: string;
  text: string;
}

/** How much new output of a call is searched for its last line. */
const LAST_BYTES = 64 * 1024;
/** The maximum length of a line, above the width of any screen. */
const MAX_SHOWN = 500;

/** From record files while calls run, or from the shared store; queries no server or worker. */
export class OutputReader {
  private readonly files = new Map<string, { log: GrowingFile; last: OutputLine | undefined }>();

  /** @param records the project's folder of records. @param elsewhere left out: no shared store. */
  constructor(
    private readonly records: string,
    private readonly elsewhere?: { lastLine(task: string, path: string): OutputLine | undefined },
  ) {}

  /** The last line of a call's output, as a terminal shows it; undefined without output. */
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

/** The unfinished line of a call's output; undefined if there is none or the call has ended. */
function readCurrent(file: string): OutputLine | undefined {
  if (!statSync(file, { throwIfNoEntry: false })) return undefined;
  // The call ended meanwhile.
  return attempt(() => seen(readFileSync(file, 'utf8')));
}

/** A log line as people see it; undefined if nothing of it is visible, or a full disk or a killed worker has cut it. */
export function seen(json: string): OutputLine | undefined {
  const line = parseJson<OutputLine>(json);
  if (!line) return undefined;
  const { step, attempt, time, text } = line;
  const shown = asShown(text);
  return shown === '' ? undefined : { step, attempt, time, text: shown };
}

/** A line as a terminal finally shows it: without colors, text after `\r` replacing the text before. */
function asShown(text: string): string {
  const parts = stripVTControlCharacters(text).split('\r');
  return startOf(oneLine(parts.findLast((part) => part.trim() !== '') ?? ''), MAX_SHOWN);
}

const DEFAULT_MAX = 1024 * 1024;

/** Reads a file that another process appends to: each line once, when it is complete. */
export class GrowingFile {
  private offset = 0;

  /** @param max maximum bytes per read; of more growth, only the end is read. */
  constructor(
    private readonly path: string,
    private readonly max = DEFAULT_MAX,
  ) {}

  /** Lines completed since the last call; none while the file does not exist. */
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
    // The file was rewritten.
    if (size < this.offset) this.offset = 0;
    const from = Math.max(this.offset, size - this.max);
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

/** Lines of each log not returned before; updates `shown`, the number of lines by log. */
export function freshLines<Line>(
  logs: readonly { name: string; lines: readonly Line[] }[],
  shown: Map<string, number>,
): Line[] {
  return logs.flatMap(({ name, lines }) => {
    const before = shown.get(name) ?? 0;
    shown.set(name, lines.length);
    return lines.slice(before);
  });
}
