import { eventAsContext } from '../activities/hooks/event-as-context.js';
import { runHooks } from '../activities/hooks/run-hooks.js';
import type { EventContext, HookAnswer } from '../contracts/hooks.js';
import type { PlanHook } from '../contracts/plan.js';
import { openHooksOutsideTasks } from './hooks-outside-tasks.js';

/** Runs hooks outside of tasks. */
export interface HookTrial {
  /** @param now what `now()` gives; undefined: the time of this machine. */
  ask(hook: PlanHook, event: EventContext, now?: number): Promise<HookAnswer>;
  close(): Promise<void>;
}

/** Runs hooks with an event and no task: for `ability hooks test`. */
export function openHookTrial(root: string, project: string, env: NodeJS.ProcessEnv): HookTrial {
  const { dependencies, close } = openHooksOutsideTasks(root, project, env);
  const never = new AbortController().signal;
  return {
    async ask(hook, event, now = Date.now()) {
      const context = eventAsContext(event, hook, now, never);
      const [answer] = await runHooks(event.event_type, context, { blockingOnly: false }, dependencies);
      if (!answer) throw new Error(`the hook ${hook.id} was not asked`);
      return answer;
    },
    close,
  };
}
