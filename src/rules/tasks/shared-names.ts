import { RECORD_FILES } from '../../contracts/record.js';
import { recordPath } from './record-path.js';

/** Identifies a task. Two projects may share a store, and use the same keys over different servers. */
export interface TaskPlace {
  project: string;
  /** Workflow id. */
  task: string;
}

/** Prefix of a task's objects in a shared store, including those of the tasks it called. Ends with `/`. */
export function sharedTask({ project, task }: TaskPlace): string {
  return `tasks/${project}/${recordPath(task).join('/')}/`;
}

/** The record of a task in a shared store. @param file one of `RECORD_FILES`. */
export function sharedRecord(place: TaskPlace, file: typeof RECORD_FILES.json | typeof RECORD_FILES.text): string {
  return sharedTask(place) + file;
}

/** Where the logs of a task's calls are in a shared store. Ends with `/`. */
export function sharedLogs(place: TaskPlace): string {
  return `${sharedTask(place)}${RECORD_FILES.logs}/`;
}

/** A log of one attempt of a call, as its name in a shared store says. */
export interface SharedLogName {
  /** Step path. */
  step: string;
  /** The machine's folder of records that also has these lines: eight hexadecimal digits. */
  origin: string;
}

const LOG = /^(.+)\/\d{8}T\d{9}Z-([0-9a-f]{8})-[0-9a-f]{8}\.jsonl$/;

/**
 * A name for the log of one attempt, so that the names of a call sort by time. No two attempts have the same, since a task
 * may try a call on several machines, and again after a retry.
 *
 * @param chance eight hexadecimal digits.
 */
export function sharedLog(place: TaskPlace, { step, origin }: SharedLogName, now: Date, chance: string): string {
  const time = now.toISOString().replaceAll(/[-:.]/g, '');
  return `${sharedLogs(place)}${step}/${time}-${origin}-${chance}.jsonl`;
}

/** Parses the name of a log below {@link sharedLogs}; undefined if it is invalid. */
export function readSharedLog(name: string, place: TaskPlace): SharedLogName | undefined {
  const [, step, origin] = LOG.exec(name.slice(sharedLogs(place).length)) ?? [];
  return step === undefined || origin === undefined ? undefined : { step, origin };
}
