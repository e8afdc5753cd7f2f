import { type HookRun, isOfTask } from '../activities/hooks/hook-context.js';
import { readHookResult } from '../activities/hooks/read-hook-result.js';
import type { EventContext, HookAnswer } from '../contracts/hooks.js';
import type { PreparedCase } from './prepared-case.js';

/** Asks what answers for a hook: a script, or an ability. */
type Answer<Handler> = (id: string, handler: Handler, context: EventContext, run: HookRun) => Promise<HookAnswer>;

/**
 * Answers for hooks as the case of their task says; the others really run.
 *
 * @param hooksOf the hooks that a case answers for, by the task it runs.
 */
export function createMockedHooks<Handler>(
  hooksOf: (task: string) => PreparedCase['hooks'],
  live: Answer<Handler>,
): Answer<Handler> {
  return async (id, handler, context, run) => {
    const hooks = isOfTask(run) ? hooksOf(run.task) : {};
    if (!Object.hasOwn(hooks, id)) return live(id, handler, context, run);
    return readHookResult(id, hooks[id], { phase: run.phase, path: run.path, ability: context.ability_id });
  };
}
