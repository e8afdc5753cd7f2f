import { appendFileSync, closeSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { unlessAbsent } from '../../disk/disk-errors.js';
import { parseJson } from '../../disk/read-json.js';

/** Two files of this size are kept, so that a log never takes more than twice that. Bytes. */
const MAX_BYTES = 8 * 1024 * 1024;
/** A lock file older than this was left by a killed process. */
const LONGEST_TURN_MS = 10_000;

/** A log of JSON lines with several writers; a second file has the older half. */
export class LineLog {
  private readonly file: string;
  private readonly older: string;

  /** @param folder that appears with the first line. @param name of the file, without its ending. */
  constructor(
    folder: string,
    name: string,
    private readonly maxBytes = MAX_BYTES,
  ) {
    this.file = join(folder, `${name}.jsonl`);
    this.older = join(folder, `${name}.1.jsonl`);
  }

  /** @throws if the disk is full or not writable. */
  append(line: object): void {
    mkdirSync(dirname(this.file), { recursive: true });
    if (sizeOf(this.file) >= this.maxBytes) this.rotate();
    appendFileSync(this.file, `${JSON.stringify(line)}\n`);
  }

  /** One process at a time: a second would replace the older half with the new, short file. */
  private rotate(): void {
    const turn = `${this.file}.turn`;
    try {
      closeSync(openSync(turn, 'wx'));
    } catch {
      if (Date.now() - (statSync(turn, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > LONGEST_TURN_MS)
        rmSync(turn, { force: true });
      return;
    }
    try {
      if (sizeOf(this.file) >= this.maxBytes) renameSync(this.file, this.older);
    } finally {
      rmSync(turn, { force: true });
    }
  }

  /** The lines, oldest first. One that cannot be read is left out, such as a torn one. */
  read<Line>(isLine: (value: unknown) => value is Line): Line[] {
    return [this.older, this.file].flatMap((file) => readLines(file, isLine));
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** The lines of a file that are JSON of a kind; empty if the file is missing. @throws the error of the file system. */
export function readLines<Line>(file: string, isLine: (value: unknown) => value is Line): Line[] {
  const text = unlessAbsent(() => readFileSync(file, 'utf8'), '');
  return text.split('\n').flatMap((line) => {
    const value = parseJson(line);
    return isLine(value) ? [value] : [];
  });
}
