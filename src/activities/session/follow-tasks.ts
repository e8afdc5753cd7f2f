import type { AbilityGuard, SessionTask } from '../../contracts/session.js';
import { guardsIn } from '../../rules/sessions/merge-signals.js';
import type { SeenTask, SessionAccess } from './session-access.js';

/** Number of tasks queried at once. */
const AT_ONCE = 20;
/** Maximum number of followed tasks that one task of the session calls; a loop may call thousands. */
const MAX_CALLED = 100;
/** Position for a called task that can no longer change. */
const SETTLED = -1;

export interface Followed {
  tasks: SessionTask[];
  guards: AbilityGuard[];
}

/** Reads the state of a session's tasks and those they call; an unreadable one keeps its last state. */
export async function followTasks(tasks: readonly SessionTask[], { readTask }: SessionAccess): Promise<Followed> {
  const followed: Followed = { tasks: [], guards: [] };
  for (let from = 0; from < tasks.length; from += AT_ONCE) {
    const some = tasks.slice(from, from + AT_ONCE);
    const seen = await Promise.all(some.map((task) => (task.settled ? null : readTask(task.task_key))));
    for (const [index, task] of some.entries()) {
      const found = seen[index];
      if (!found) {
        followed.tasks.push(found === null ? task : { ...task, status: 'unavailable' });
        continue;
      }
      const below = await followCalled(task.called ?? {}, found.children, readTask);
      followed.tasks.push(withStatus(task, found, below.called));
      followed.guards.push(...newGuards(task.told, found), ...below.guards);
    }
  }
  return followed;
}

async function followCalled(
  known: Record<string, number>,
  children: readonly string[],
  readTask: SessionAccess['readTask'],
): Promise<{ called: Record<string, number>; guards: AbilityGuard[] }> {
  const called = new Map(Object.entries(known));
  const guards: AbilityGuard[] = [];
  let next = [...new Set([...called.keys(), ...children])];
  const looked = new Set<string>();
  while (next.length > 0) {
    const keys = next.filter((key) => called.get(key) !== SETTLED && !looked.has(key)).slice(0, AT_ONCE);
    if (keys.length === 0) break;
    const seen = await Promise.all(keys.map(readTask));
    for (const [index, key] of keys.entries()) {
      looked.add(key);
      const found = seen[index];
      const told = called.get(key) ?? 0;
      if (found) guards.push(...newGuards(told, found));
      if (found?.isOpen) called.set(key, Math.max(told, found.hooks.length));
      else called.set(key, found === null ? told : SETTLED);
      for (const child of found?.children ?? []) if (!called.has(child)) next.push(child);
    }
    next = next.filter((key) => !looked.has(key));
    if (looked.size >= MAX_CALLED) break;
  }
  return { called: Object.fromEntries(called), guards };
}

/** Settles a task once it and all tasks that it called have ended. */
function withStatus(
  { called: _, ...task }: SessionTask,
  { status, isOpen, hooks }: SeenTask,
  called: Record<string, number>,
): SessionTask {
  const isSettled = !isOpen && Object.values(called).every((told) => told === SETTLED);
  const told = Math.max(task.told, hooks.length);
  if (isSettled) return { ...task, status, told, settled: true };
  return { ...task, status, told, ...(Object.keys(called).length > 0 && { called }) };
}

/** New answers only; those from before creation were already passed on. */
function newGuards(told: number, { ability, hooks, calls }: SeenTask): AbilityGuard[] {
  const fresh = hooks.slice(told).filter(({ phase }) => phase === 'PreAbilityCall');
  return guardsIn(fresh, ({ path }) => calls[path] ?? ability);
}
