import type { AnswerAbility } from '../activities/hooks/ability-handler.js';
import { type HookRun, isOfTask } from '../activities/hooks/hook-context.js';
import type { AnswerScript } from '../activities/hooks/hook-dependencies.js';
import { readHookResult } from '../activities/hooks/read-hook-result.js';
import type { EventContext, HookAnswer } from '../contracts/hooks.js';
import type { PreparedCase } from './prepared-case.js';

/** Which hooks a case answers for, by the task it runs. */
type HooksOf = (task: string) => PreparedCase['hooks'];

/** Answers for script hooks as the case of their task says; the others run. */
export function createMockedHooks(hooksOf: HooksOf, live: AnswerScript): AnswerScript {
  return async (id, handler, context, run) => answerOf(hooksOf, id, context, run) ?? live(id, handler, context, run);
}

/** The same for hooks that an ability answers; without an answer of the case, its call is a mock as every call is. */
export function createMockedAbilities(hooksOf: HooksOf, live: AnswerAbility): AnswerAbility {
  return async (id, handler, context, run) => answerOf(hooksOf, id, context, run) ?? live(id, handler, context, run);
}

function answerOf(hooksOf: HooksOf, id: string, { ability_id }: EventContext, run: HookRun): HookAnswer | undefined {
  const hooks = isOfTask(run) ? hooksOf(run.task) : {};
  if (!Object.hasOwn(hooks, id)) return undefined;
  return readHookResult(id, hooks[id], { phase: run.phase, path: run.path, ability: ability_id });
}
