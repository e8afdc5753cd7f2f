import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { fetchCallLogs, type LogLine, linesOf, SharedLogs } from '../client/index.js';
import { AbilityError } from '../contracts/problem.js';
import { RECORD_FILES } from '../contracts/record.js';
import type { TaskPlace } from '../rules/tasks/task-ids.js';
import { recordsOrigin } from '../server/logs/records-origin.js';
import type { ProjectPaths } from '../server/project-paths.js';
import type { Store } from '../server/store/store.js';
import { task } from './concerns.js';
import * as fields from './fields.js';
import { answer, operation } from './operation.js';
import { recordFolder } from './record-folder.js';
import { viewOwn } from './wait-for-result.js';

/** The output of one call; in shared logs, of one attempt. */
export interface CallLog {
  /** Unique among the logs of the task. */
  name: string;
  /** Step path. */
  step: string;
  lines: LogLine[];
}

/** How long a read of the shared logs stays valid. */
const SHARED_MS = 2000;

export class CallLogs {
  private readonly shared: SharedLogs | undefined;
  private readonly origin: string;
  private known: CallLog[] = [];
  private isNoted = false;
  private knownSince = Number.NEGATIVE_INFINITY;

  /** @param store undefined if none is shared. @param note reports that only the local logs can be read. */
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

  /** @param step as in {@link isOf}. @param now bypasses the cache. @throws AbilityError `store.not_shared`. */
  async read(step: string | undefined, now: boolean): Promise<CallLog[]> {
    const isWanted = (path: string): boolean => step === undefined || isOf(path, step);
    const found = await fetchCallLogs(this.folder, isWanted);
    const here = found.map(({ file, name, lines }) => ({ name: `${file} ${name}`, step: name, lines }));
    return [...here, ...(await this.elsewhere(isWanted, new Set(here.map((log) => log.step)), now))];
  }

  private async elsewhere(
    isWanted: (path: string) => boolean,
    here: ReadonlySet<string>,
    now: boolean,
  ): Promise<CallLog[]> {
    if (!this.shared || (!now && performance.now() - this.knownSince < SHARED_MS)) return this.known;
    try {
      const found = await this.shared.read((log) => isWanted(log.step) && !this.isHere(log, here));
      this.known = found.map(({ name, step, text }) => ({ name, step, lines: linesOf(text) }));
    } catch (error) {
      if (!(error instanceof AbilityError) || !existsSync(this.folder)) throw error;
      if (!this.isNoted) this.note(`${error.code}: ${error.message}; these are the logs of this folder`);
      this.isNoted = true;
    }
    this.knownSince = performance.now();
    return this.known;
  }

  /** The folder also has what its own worker shared. */
  private isHere({ step, origin }: { step: string; origin: string }, here: ReadonlySet<string>): boolean {
    return origin === this.origin && here.has(step);
  }
}

/** What a door says that calls wrote, as the logs of attempts. */
export function byAttempt(lines: readonly LogLine[]): CallLog[] {
  const logs = new Map<string, CallLog>();
  for (const line of lines) {
    const { step, attempt } = line;
    const log = logs.get(`${step}#${attempt}`) ?? { name: `${step}#${attempt}`, step, lines: [] };
    logs.set(log.name, log);
    log.lines.push(line);
  }
  return [...logs.values()];
}

export function inOrder(logs: readonly Pick<CallLog, 'lines'>[]): LogLine[] {
  return logs.flatMap(({ lines }) => lines).sort((a, b) => a.time.localeCompare(b.time));
}

/**
 * Whether a log is of a step, given by path or unique id. In a loop, `hosts/12/check` is that of one item,
 * `hosts/12` all of that item; with `*` for the number, those of every item; `hosts[12]/check` works, too.
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

const line = z.looseObject({
  time: z.string(),
  step: z.string(),
  attempt: z.number(),
  stream: z.string(),
  text: z.string(),
});

/** As far as this machine or the store has them. @throws AbilityError `task.not_found`, `store.not_shared`. */
export const readLogs = operation({
  summary: 'What the calls of a task wrote.',
  right: 'read',
  concerns: task,
  at: 'GET /v1/tasks/{key}/logs',
  input: z.strictObject({
    key: fields.key,
    step: z.string().min(1).max(300).optional().describe('Its id or path.'),
  }),
  answers: answer('The lines, in the order of their times.', z.array(line)),
  run: (project, _, { key, step }) =>
    project.ask(async (connection) => {
      await viewOwn(connection, key, 'temporal');
      const { paths, project: name, store } = connection;
      const folder = join(recordFolder(paths.records, key), RECORD_FILES.logs);
      const shared = store.isShared ? store : undefined;
      const logs = new CallLogs(folder, paths, { project: name, task: key }, shared, project.note);
      return inOrder(await logs.read(step, true));
    }),
});
