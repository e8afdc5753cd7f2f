import { RateLimiter } from '../activities/api/rate-limit.js';
import { createExecute } from '../activities/execute.js';
import { createAnswerAbility } from '../activities/hooks/ability-handler.js';
import { eventAsContext } from '../activities/hooks/event-as-context.js';
import { runHooks } from '../activities/hooks/run-hooks.js';
import { createAnswerScript } from '../activities/hooks/script-handler.js';
import { PinnedTools } from '../activities/mcp/pinned-tools.js';
import { McpPool } from '../activities/mcp/pool.js';
import { PinnedScripts } from '../activities/script/pinned-scripts.js';
import { SecretSource } from '../activities/secrets.js';
import type { EventContext, HookAnswer } from '../contracts/hooks.js';
import type { PlanHook } from '../contracts/plan.js';
import { pathsOf } from '../server/project-paths.js';
import { openStore } from '../server/store/open-store.js';
import { TaskFileStore } from '../server/store/task-file-store.js';
import { RunningGroups } from './running-groups.js';
import { WorkerFolders } from './worker-folders.js';

/** Runs hooks outside of tasks. */
export interface HookTrial {
  /** @param now what `now()` gives; undefined: the time of this machine. */
  ask(hook: PlanHook, event: EventContext, now?: number): Promise<HookAnswer>;
  close(): Promise<void>;
}

/**
 * Runs hooks as a worker of the project would, with an event and no task: for `ability hooks test`.
 *
 * Scripts and abilities really run, with the secrets of the environment; nothing is written to the log of usage.
 */
export function openHookTrial(root: string, project: string, env: NodeJS.ProcessEnv): HookTrial {
  const paths = pathsOf(root);
  const groups = new RunningGroups(paths.running);
  const folders = new WorkerFolders(paths.calls);
  const pool = new McpPool({ root, groups });
  const store = openStore(paths.store, paths);
  const scripts = new PinnedScripts(root, paths.pinned, store);
  const tools = new PinnedTools(pool, store, root);
  const secrets = (environment: string): SecretSource => new SecretSource(root, environment, env);
  const execute = createExecute({ root, groups, scripts, pool, tools, limiter: new RateLimiter() });
  const files = { store: new TaskFileStore(store, project), folders };
  const dependencies = {
    answerScript: createAnswerScript({ root, groups, scripts, secrets }),
    answerAbility: createAnswerAbility({ execute, secrets, files }),
    secrets,
    recordUsage: () => {},
  };
  const never = new AbortController().signal;
  return {
    async ask(hook, event, now = Date.now()) {
      const context = eventAsContext(event, hook, now, never);
      const [answer] = await runHooks(event.event_type, context, { blockingOnly: false }, dependencies);
      if (!answer) throw new Error(`the hook ${hook.id} was not asked`);
      return answer;
    },
    async close() {
      await pool.close();
      groups.close();
      folders.close();
    },
  };
}
