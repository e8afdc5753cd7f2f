import { existsSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { RECORD_FILES } from '../../../../contracts/record.js';
import { freshLines, GrowingFile, type OutputLine, seen } from '../../../../operations/read-output.js';
import type { SharedOutput } from '../../../../operations/shared-output.js';
import { oneLine } from '../../../../rules/shown-text.js';
import { CHILDREN, recordPath } from '../../../../rules/tasks/task-ids.js';
import { attempt } from '../../../../text/attempt.js';

/** Pauses this many times as long as a read took. */
const REST = 20;

/** Output of a task's calls and of tasks that it calls, as it arrives: each line once, in order of time. */
export class OutputStream {
  private readonly files = new Map<string, GrowingFile>();
  private readonly folder: string;
  /** How many lines of each log elsewhere were returned. */
  private readonly given = new Map<string, number>();
  private notBefore = 0;

  /** @param records their folder. @param task workflow id. @param elsewhere if the record is not here. */
  constructor(
    records: string,
    private readonly task: string,
    private readonly elsewhere?: Pick<SharedOutput, 'logs'>,
  ) {
    this.folder = join(records, ...recordPath(task));
  }

  /** Whether its record is on this machine, or logs of it were found elsewhere. */
  isHere(): boolean {
    return existsSync(this.folder) || this.given.size > 0;
  }

  /** Output since the last call, as `step | text`. @param isEnd true for the last call. */
  newLines(isEnd = false): string[] {
    const began = performance.now();
    if (began < this.notBefore && !isEnd) return [];
    const fresh: OutputLine[] =
      this.elsewhere && !existsSync(this.folder) ? freshLines(this.elsewhere.logs(this.task), this.given) : [];
    for (const file of filesIn(this.folder)) {
      const log = this.files.get(file) ?? new GrowingFile(file);
      this.files.set(file, log);
      const place = placeOf(relative(this.folder, file));
      for (const line of log.newLines()) {
        const shown = seen(line);
        if (shown) fresh.push({ ...shown, step: place });
      }
    }
    const ended = performance.now();
    this.notBefore = ended + (ended - began) * REST;
    return fresh
      .sort((one, other) => (one.time < other.time ? -1 : one.time > other.time ? 1 : 0))
      .map(({ step, attempt, text }) => `${oneLine(step)}${attempt > 1 ? `#${attempt}` : ''} | ${text}`);
  }
}

/** `logs/a/b.jsonl` is `a/b`; `children/c/logs/d.jsonl`, of a task that the step `c` called, is `c/d`. */
function placeOf(file: string): string {
  const [first, ...names] = file.replace(/\.jsonl$/, '').split(sep);
  const at = first === CHILDREN ? names.indexOf(RECORD_FILES.logs) : -1;
  return names.filter((_, index) => index !== at).join('/');
}

function filesIn(folder: string): string[] {
  return attempt(
    () =>
      readdirSync(folder, { withFileTypes: true, recursive: true }).flatMap((entry) =>
        entry.isFile() && entry.name.endsWith('.jsonl') ? [join(entry.parentPath, entry.name)] : [],
      ),
    [],
  );
}
