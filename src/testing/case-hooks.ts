import { type HookRun, isOfTask } from '../activities/hooks/hook-context.js';
import { readHookResult } from '../activities/hooks/read-hook-result.js';
import type { EventContext, HookAnswer } from '../contracts/hooks.js';
import type { PreparedCase } from './prepared-case.js';

type Answer<Handler> = (id: string, handler: Handler, context: EventContext, run: HookRun) => Promise<HookAnswer>;

/** Answers hooks as the task's case says; the others really run. @param hooksOf the case's hooks, by task. */
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
