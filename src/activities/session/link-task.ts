import type { HookAnswer } from '../../contracts/hooks.js';
import { AbilityError, type Problem } from '../../contracts/problem.js';
import type { AbilityGuard } from '../../contracts/session.js';
import { guardsIn } from '../../rules/sessions/merge-signals.js';
import { oneLine } from '../../rules/shown-text.js';
import { type NotifyDependencies, notifySession } from './session-word.js';

/** Reports about a task to its session; does nothing if the task has none. */
export interface TaskLink {
  /** Reports the refusal of the task to the session. @throws the error. */
  refused(error: unknown): Promise<never>;
  /** Reports the confirmations that the hooks before creation requested. */
  formed(hooks: readonly HookAnswer[]): Promise<void>;
}

/** An ended session forms no task. @throws AbilityError `session.not_found`, `session.stopped`. */
export async function linkTask(
  { task: task_key, ability: ability_id, session }: { task: string; ability: string; session: string | null },
  dependencies: NotifyDependencies,
): Promise<TaskLink> {
  if (session === null) return UNLINKED;
  await notifySession(session, { kind: 'task', task_key, ability_id }, dependencies);
  const notifyGuards = async (guards: AbilityGuard[], refused: boolean): Promise<void> => {
    await notifySession(session, { kind: 'guards', task_key, refused, guards }, dependencies);
  };
  return {
    async refused(error) {
      const guards = error instanceof AbilityError ? guardOf(error.toProblem(), ability_id) : [];
      // The caller must get the refusal, not a failure to report it.
      await notifyGuards(guards, true).catch(() => {});
      throw error;
    },
    async formed(hooks) {
      const guards = guardsIn(hooks, ({ path }) => path || ability_id);
      if (guards.length > 0) await notifyGuards(guards, false);
    },
  };
}

const UNLINKED: TaskLink = {
  refused: (error) => Promise.reject(error),
  formed: () => Promise.resolve(),
};

function guardOf({ code, message, suggestion, details }: Problem, ability: string): AbilityGuard[] {
  if (code !== 'guard.denied' && code !== 'hook.failed') return [];
  const { hook_id = '*', path = '' } = (details ?? {}) as { hook_id?: string; path?: string };
  const advice = suggestion === undefined || suggestion === null ? {} : { suggestion: oneLine(suggestion) };
  const source = `PreAbilityCreate.${hook_id}`;
  return [{ ability_id: path || ability, decision: 'deny', reason: oneLine(message), ...advice, source }];
}
