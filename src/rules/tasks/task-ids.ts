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
const DIRECT = new RegExp(`^${DIRECT_PREFIX}[0-9a-f-]{36}$`);

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
  return isTaskKey(id) || DIRECT.test(id);
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
