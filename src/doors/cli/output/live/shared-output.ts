import { linesOf, SharedLogs } from '../../../../client/index.js';
import type { TaskPlace } from '../../../../rules/tasks/shared-names.js';
import type { Store } from '../../../../server/store/store.js';
import { type OutputLine, seen } from './read-output.js';

/** How long a read is cached: workers share a log at most every two seconds. */
const READ_MS = 2000;

/** Calls on other machines, read from the shared store only while watched; unreadable output is not shown. */
export class SharedOutput {
  private readonly tasks = new Map<
    string,
    { logs: SharedLogs; lines: OutputLine[]; readAt: number; isReading: boolean }
  >();

  constructor(
    private readonly store: Store,
    private readonly project: TaskPlace['project'],
    private readonly clock: () => number = () => performance.now(),
  ) {}

  /** The last line read so far; triggers a read of newer ones. */
  lastLine(task: string, path: string): OutputLine | undefined {
    return this.lines(task).findLast(({ step }) => step === path);
  }

  /** All lines read so far, in order of time; triggers a read of newer ones. */
  lines(task: string): readonly OutputLine[] {
    const logs = () => new SharedLogs(this.store, { project: this.project, task });
    const known = this.tasks.get(task) ?? {
      logs: logs(),
      lines: [],
      readAt: Number.NEGATIVE_INFINITY,
      isReading: false,
    };
    this.tasks.set(task, known);
    if (!known.isReading && this.clock() - known.readAt >= READ_MS) void this.read(known);
    return known.lines;
  }

  private async read(known: {
    logs: SharedLogs;
    lines: OutputLine[];
    readAt: number;
    isReading: boolean;
  }): Promise<void> {
    known.isReading = true;
    try {
      const found = await known.logs.read(() => true);
      known.lines = found
        .flatMap(({ step, text }) => linesOf(text).flatMap((line) => shown(step, line)))
        .sort((one, other) => (one.time < other.time ? -1 : one.time > other.time ? 1 : 0));
    } catch {
      // The task continues, and `task logs` reports the error of the store.
    } finally {
      known.readAt = this.clock();
      known.isReading = false;
    }
  }
}

function shown(step: string, line: object): OutputLine[] {
  const one = seen(JSON.stringify(line));
  return one ? [{ ...one, step }] : [];
}
