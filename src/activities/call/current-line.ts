import { renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Masker } from '../../planning/secrets/masking/masker.js';
import { inFolder } from '../record/write-files.js';
import type { LogLine } from './log-lines.js';
import { countWhole, maskLines } from './mask-lines.js';

/** Readable length of a line that does not end. */
const MAX_SHOWN = 1000;

/**
 * The current line of a call, in a file of its own, where its log does not have it: one that has not ended, such as a bar of
 * progress, or one after the head of a long log.
 *
 * It is written over each time, goes when the log is saved, and never makes a call fail. A worker that was killed leaves
 * it behind; its readers compare its time with that of the log.
 */
export class CurrentLine {
  private isWritten = false;

  constructor(
    private readonly file: string,
    private readonly masker: Masker,
  ) {}

  /** Shows a line with its secrets masked; not yet where it may hold the start of one. @param before lines before it. */
  show(line: LogLine, before: readonly LogLine[]): void {
    if (countWhole([line], before, this.masker) === 0) return;
    const [masked = line] = maskLines([line], { before, after: [] }, this.masker);
    // Masked as a whole: a secret may have such characters in it.
    const text = JSON.stringify({ ...masked, text: lastPart(masked.text).slice(-MAX_SHOWN) });
    try {
      inFolder(this.file, () => writeFileSync(`${this.file}.new`, text));
      // A reader must not see half of it.
      renameSync(`${this.file}.new`, this.file);
      this.isWritten = true;
    } catch {
      // The log reports failed writes.
    }
  }

  /** Takes it away. */
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
