import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { inFolder } from '../../disk/write-files.js';
import type { Masker } from '../../planning/secrets/masking/masker.js';
import type { LogLine } from './log-lines.js';
import { countWhole, maskLines } from './mask-lines.js';

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
