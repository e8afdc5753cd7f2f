import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const USUAL_MOST = 1024 * 1024;

/** A file that another process appends to, read piece by piece: each line once, when it is whole. */
export class GrowingFile {
  private offset = 0;

  /** @param most bytes that are read at once at most; of what has grown by more, only the end is read. */
  constructor(
    private readonly path: string,
    private readonly most = USUAL_MOST,
  ) {}

  /** The lines that became whole since the last time; none where the file is not there (yet). */
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
    // What was left out may have ended within a line.
    const first = from > this.offset ? text.indexOf('\n') + 1 : 0;
    this.offset = from + end;
    return text.slice(first);
  }
}
