import { RECORD_FILES } from '../../contracts/record.js';
import { recordPath } from './record-path.js';

/** Projects on different servers may share a store and use the same keys. */
export interface TaskPlace {
  project: string;
  task: string;
}

/** Prefix of a task's objects in a shared store, including those of the tasks it called. Ends with `/`. */
export function sharedTask({ project, task }: TaskPlace): string {
  return `tasks/${project}/${recordPath(task).join('/')}/`;
}

export function sharedRecord(place: TaskPlace, file: typeof RECORD_FILES.json | typeof RECORD_FILES.text): string {
  return sharedTask(place) + file;
}

/** Prefix of the logs of a task's calls; ends with `/`. */
export function sharedLogs(place: TaskPlace): string {
  return `${sharedTask(place)}${RECORD_FILES.logs}/`;
}

export interface SharedLogName {
  step: string;
  /** Identifies the machine's records folder that also has these lines; eight hex digits. */
  origin: string;
}

const LOG = /^(.+)\/\d{8}T\d{9}Z-([0-9a-f]{8})-[0-9a-f]{8}\.jsonl$/;

/** Sorts by time, and is unique: a task may try a call on several machines. @param chance eight hex digits. */
export function sharedLog(place: TaskPlace, { step, origin }: SharedLogName, now: Date, chance: string): string {
  const time = now.toISOString().replaceAll(/[-:.]/g, '');
  return `${sharedLogs(place)}${step}/${time}-${origin}-${chance}.jsonl`;
}

/** Parses the name of a log below {@link sharedLogs}; undefined if it is invalid. */
export function readSharedLog(name: string, place: TaskPlace): SharedLogName | undefined {
  const [, step, origin] = LOG.exec(name.slice(sharedLogs(place).length)) ?? [];
  return step === undefined || origin === undefined ? undefined : { step, origin };
}
