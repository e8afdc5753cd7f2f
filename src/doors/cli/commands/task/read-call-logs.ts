import { existsSync } from 'node:fs';
import { type LogLine, linesOf, readCallLogs, SharedLogs } from '../../../../client/index.js';
import { AbilityError } from '../../../../contracts/problem.js';
import type { TaskPlace } from '../../../../rules/tasks/shared-names.js';
import { recordsOrigin } from '../../../../server/logs/records-origin.js';
import type { ProjectPaths } from '../../../../server/project-paths.js';
import type { Store } from '../../../../server/store/store.js';

/** What one call wrote; of what was shared, one attempt of it. */
export interface CallLog {
  /** No other log of the task has it. */
  name: string;
  /** Step path. */
  step: string;
  lines: LogLine[];
}

/** How long what was read of the shared logs counts. */
const SHARED_MS = 2000;

/** The logs of a task: those of this project folder, and those that workers elsewhere have shared. */
export class CallLogs {
  private readonly shared: SharedLogs | undefined;
  private readonly origin: string;
  private known: CallLog[] = [];
  private isNoted = false;
  private knownSince = Number.NEGATIVE_INFINITY;

  /**
   * @param folder of the logs in this project.
   * @param store that is shared; left out where none is.
   * @param note says that the shared logs cannot be read, where those of this folder can.
   */
  constructor(
    private readonly folder: string,
    paths: ProjectPaths,
    place: TaskPlace,
    store: Store | undefined,
    private readonly note: (text: string) => void,
  ) {
    this.shared = store && new SharedLogs(store, place);
    this.origin = recordsOrigin(paths);
  }

  /**
   * @param step path or id, as {@link isOf} reads it; left out: all of them.
   * @param now the shared ones as well, however short it is since they were read.
   * @throws AbilityError `store.not_shared` where there are no logs in this folder either.
   */
  async read(step: string | undefined, now: boolean): Promise<CallLog[]> {
    const all = logsIn(this.folder);
    const here = all.filter((log) => step === undefined || isOf(log.step, step));
    return [...here, ...(await this.elsewhere(step, new Set(all.map((log) => log.step)), now))];
  }

  private async elsewhere(step: string | undefined, here: ReadonlySet<string>, now: boolean): Promise<CallLog[]> {
    if (!this.shared || (!now && performance.now() - this.knownSince < SHARED_MS)) return this.known;
    try {
      const found = await this.shared.read(
        (log) => !this.isHere(log, here) && (step === undefined || isOf(log.step, step)),
      );
      this.known = found.map(({ name, step, text }) => ({ name, step, lines: linesOf(text) }));
    } catch (error) {
      if (!(error instanceof AbilityError) || !existsSync(this.folder)) throw error;
      if (!this.isNoted) this.note(`${error.code}: ${error.message}; these are the logs of this folder`);
      this.isNoted = true;
    }
    this.knownSince = performance.now();
    return this.known;
  }

  /** What a worker of this folder has shared is in the folder as well. */
  private isHere({ step, origin }: { step: string; origin: string }, here: ReadonlySet<string>): boolean {
    return origin === this.origin && here.has(step);
  }
}

function logsIn(folder: string): CallLog[] {
  return readCallLogs(folder).map(({ file, name, lines }) => ({ name: `${file} ${name}`, step: name, lines }));
}

/** The lines of several logs as they were written. */
export function inOrder(logs: readonly CallLog[]): LogLine[] {
  return logs.flatMap(({ lines }) => lines).sort((a, b) => a.time.localeCompare(b.time));
}

/**
 * Whether a log is of a step, named by its path or, since ids are unique, by its id.
 *
 * In a loop `hosts/12/check` is that of one item and `hosts/12` all of that item; with `*` in place of the number they are
 * those of every item. `hosts[12]/check` is read as well.
 */
export function isOf(path: string, step: string): boolean {
  const names = step.replaceAll(/\[(\d+|\*)\]/g, '/$1').split('/');
  const own = path.split('/');
  const fits = (from: number): boolean =>
    names.every((name, at) => name === own[from + at] || isAny(name, own[from + at]));
  return fits(0) || fits(own.length - names.length);
}

function isAny(name: string, own: string | undefined): boolean {
  return name === '*' && own !== undefined && /^\d+$/.test(own);
}
