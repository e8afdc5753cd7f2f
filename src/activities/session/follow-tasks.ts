import type { AbilityGuard, SessionTask } from '../../contracts/session.js';
import { guardsIn } from '../../rules/merge-signals.js';
import type { SeenTask, SessionAccess } from './session-access.js';

/** So many tasks are asked at once. */
const AT_ONCE = 20;

/** What became of tasks, and what their guards have said since they were last looked at. */
export interface Followed {
  tasks: SessionTask[];
  guards: AbilityGuard[];
}

/** Looks how the tasks of a session stand; one of which nobody can tell stays as it was. */
export async function followTasks(tasks: readonly SessionTask[], { readTask }: SessionAccess): Promise<Followed> {
  const followed: Followed = { tasks: [], guards: [] };
  for (let from = 0; from < tasks.length; from += AT_ONCE) {
    const some = tasks.slice(from, from + AT_ONCE);
    const seen = await Promise.all(some.map((task) => (task.settled ? null : readTask(task.task_key))));
    for (const [index, task] of some.entries()) {
      const found = seen[index];
      followed.tasks.push(found ? standing(task, found) : found === null ? task : { ...task, status: 'unavailable' });
      if (found) followed.guards.push(...newGuards(task, found));
    }
  }
  return followed;
}

function standing(task: SessionTask, { status, isOpen, hooks }: SeenTask): SessionTask {
  return { ...task, status, told: Math.max(task.told, hooks.length), ...(!isOpen && { settled: true }) };
}

/** Those before creation were passed on when they answered. */
function newGuards({ ability_id, told }: SessionTask, { hooks, calls }: SeenTask): AbilityGuard[] {
  const fresh = hooks.slice(told).filter(({ phase }) => phase === 'PreAbilityCall');
  return guardsIn(fresh, ({ path }) => calls[path] ?? ability_id);
}
