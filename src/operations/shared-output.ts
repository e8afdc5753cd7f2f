import { SharedLogs } from '../client/index.js';
import type { TaskPlace } from '../rules/tasks/task-ids.js';
import type { Store } from '../server/store/store.js';
import { type OutputLine, seen } from './read-output.js';

/** How long a read is cached: workers share a log at most every two seconds. */
const READ_MS = 2000;

/** The log of one attempt of a call. */
interface SharedLog {
  /** Unique among the logs of the task. */
  name: string;
  step: string;
  lines: OutputLine[];
}

/** Reads all logs of one task. */
type LogSource = () => Promise<SharedLog[]>;

interface SharedTask {
  source: LogSource;
  logs: SharedLog[];
  readAt: number;
  isReading: boolean;
}

/** The logs that workers share in a store. */
export function storedLogs(store: Store, project: TaskPlace['project']): (task: string) => LogSource {
  return (task) => {
    const logs = new SharedLogs(store, { project, task });
    return async () => {
      const found = await logs.read(() => true);
      return found.map(({ name, step, text }) => ({ name, step, lines: shownLines(step, text) }));
    };
  };
}

/** Calls on other machines, read only while watched; unreadable output is not shown. */
export class SharedOutput {
  private readonly tasks = new Map<string, SharedTask>();

  constructor(
    private readonly sourceOf: (task: string) => LogSource,
    private readonly clock: () => number = () => performance.now(),
  ) {}

  /** The last line read so far; triggers a read of newer ones. */
  lastLine(task: string, path: string): OutputLine | undefined {
    const ends = this.logs(task).flatMap(({ step, lines }) => (step === path ? lines.slice(-1) : []));
    return ends.reduce<OutputLine | undefined>((last, end) => (last && last.time > end.time ? last : end), undefined);
  }

  /** All logs read so far; triggers a read of newer lines. A log that is read later may hold earlier lines. */
  logs(task: string): readonly SharedLog[] {
    const known = this.tasks.get(task) ?? {
      source: this.sourceOf(task),
      logs: [],
      readAt: Number.NEGATIVE_INFINITY,
      isReading: false,
    };
    this.tasks.set(task, known);
    if (!known.isReading && this.clock() - known.readAt >= READ_MS) void this.read(known);
    return known.logs;
  }

  /** Reads the newest lines of a task that has ended. */
  async readLast(task: string): Promise<void> {
    this.logs(task);
    const known = this.tasks.get(task);
    if (known) await this.read(known);
  }

  private async read(known: SharedTask): Promise<void> {
    known.isReading = true;
    try {
      known.logs = await known.source();
    } catch {
      // The task continues, and `task logs` reports the error.
    } finally {
      known.readAt = this.clock();
      known.isReading = false;
    }
  }
}

function shownLines(step: string, text: string): OutputLine[] {
  // The last line may be unfinished.
  const lines = text.split('\n').slice(0, -1);
  return lines.flatMap((line) => {
    const one = seen(line);
    return one ? [{ ...one, step }] : [];
  });
}
