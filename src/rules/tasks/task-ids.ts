import type { Notice, NoticeEvent, PlanNotify } from '../../contracts/notices.js';
import { RECORD_FILES } from '../../contracts/record.js';

/** Prefix of direct runs, which have no key. */
export const DIRECT_PREFIX = 'direct:';

export const KEY = '[A-Za-z0-9][A-Za-z0-9._-]{0,63}';
/** As a Temporal Schedule appends it to the id of a workflow. */
export const TIME = '\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z';
const RETRY = '(?:\\.r[1-9]\\d{0,3})?';

/** Keys of callers, of firings and of deliveries: only those of callers have no colon, so they never meet. */
const TASK_KEY = new RegExp(
  `^(?:${KEY}|${KEY}-${TIME}${RETRY}|schedule:[a-z0-9_-]+:${KEY}-${TIME}${RETRY}|webhook:${KEY}:${KEY}${RETRY})$`,
);
const DIRECT_RUN = new RegExp(`^${DIRECT_PREFIX}[0-9a-f-]{36}$`);

/** Whether a workflow id is the key of a task; not that of a called task, and not that of a direct run. */
export function isTaskKey(id: string): boolean {
  return TASK_KEY.test(id);
}

/** Whether a task of this id has no key, and a record only if the policy says so. */
export function isDirect(id: string): boolean {
  return id.startsWith(DIRECT_PREFIX);
}

/** Whether a workflow of this id may be a task that no other task called. */
export function isRootTask(id: string): boolean {
  return isTaskKey(id) || DIRECT_RUN.test(id);
}

/** The topmost task: a called one has the id `<id of its caller>/<path of the call>`. */
export function rootOf(id: string): string {
  return id.split('/', 1)[0] ?? id;
}

/** Whether a workflow of this id may be a task, a called one included; others are the runtime's own. */
export function isTaskId(id: string): boolean {
  return isRootTask(rootOf(id));
}

/** The key that a result shows: null for a direct run and what it calls. */
export function keyOf(id: string): string | null {
  return isDirect(id) ? null : id;
}

/** Temporal appends the time of the firing. Two projects on one server may have a schedule of the same name. */
export function firingIdOf(project: string, schedule: string): string {
  return `schedule:${project}:${schedule}`;
}

/** @param delivery a valid task key. */
export function deliveryIdOf(webhook: string, delivery: string): string {
  return `webhook:${webhook}:${delivery}`;
}

const FIRING = new RegExp(`^(?:schedule:[a-z0-9_-]+:)?(?<schedule>${KEY})-(?<scheduled_for>${TIME})$`);
const DELIVERY = new RegExp(`^webhook:(?<webhook>${KEY}):${KEY}$`);

/** The schedule or the webhook that started a task, so that nobody waits for it; empty for any other task. */
export type Unattended = Pick<Notice, 'schedule' | 'scheduled_for' | 'webhook'>;

/** @param isRetry somebody retries it by hand. */
export function unattendedOf(id: string, isRetry = false): Unattended {
  return isRetry ? {} : { ...(FIRING.exec(id) ?? DELIVERY.exec(id))?.groups };
}

/** The event if such a task is refused; undefined if somebody waits for it. */
export function refusedEventOf({ schedule, webhook }: Unattended): NoticeEvent | undefined {
  if (schedule !== undefined) return 'schedule.refused';
  return webhook === undefined ? undefined : 'delivery.refused';
}

/** Who is notified of an event, as indexes. */
export function targetsOf(event: NoticeEvent, notify: readonly PlanNotify[] = []): number[] {
  return notify.flatMap(({ on }, index) => (on.includes(event) ? [index] : []));
}

/** The key of a retry: `k`, `k.r2`, `k.r3`, ... */
export function nextKey(id: string): string {
  const { base, number } = partsOf(id);
  return `${base}.r${number + 1}`;
}

/** All earlier keys that the suffix implies, the first one first; empty for a key without suffix. */
export function earlierKeys(id: string): string[] {
  const { base, number } = partsOf(id);
  return Array.from({ length: number - 1 }, (_, index) => (index === 0 ? base : `${base}.r${index + 1}`));
}

function partsOf(id: string): { base: string; number: number } {
  const [, base = id, number = '1'] = /^(.+?)(?:\.r([1-9]\d{0,3}))?$/.exec(id) ?? [];
  return { base, number: Number(number) };
}

/** Folder in a task's record for the records of the tasks it called. */
export const CHILDREN = 'children';

/** Folder for the records of direct runs; no task key begins with a dot. */
export const DIRECT = '.direct';

/** The path segments of a task's record; the record of a called task is in its caller's folder. */
export function recordPath(task: string): string[] {
  const [name = '', ...path] = task.split('/');
  const key = isDirect(name) ? `${DIRECT}/${name.slice(DIRECT_PREFIX.length)}` : name;
  return path.length === 0 ? [key] : [key, CHILDREN, ...path];
}

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
