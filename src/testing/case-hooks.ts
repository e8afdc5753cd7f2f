import { isOfTask } from '../activities/hooks/hook-context.js';
import { readHookResult } from '../activities/hooks/read-hook-result.js';
import type { AnswerScript } from '../activities/hooks/run-hooks.js';
import type { PreparedCase } from './prepared-case.js';

/** Answers for script hooks as the case of their task says; the others run. */
export function createMockedHooks(hooksOf: (task: string) => PreparedCase['hooks'], live: AnswerScript): AnswerScript {
  return async (id, handler, context, run) => {
    if (!isOfTask(run)) return live(id, handler, context, run);
    const hooks = hooksOf(run.task);
    if (!Object.hasOwn(hooks, id)) return live(id, handler, context, run);
    return readHookResult(id, hooks[id], { phase: run.phase, path: run.path, ability: context.ability_id });
  };
}
