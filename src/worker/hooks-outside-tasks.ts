import { createExecute } from '../activities/call/execute.js';
import { createAnswerAbility } from '../activities/hooks/ability-handler.js';
import { answerWithHooks, type Question } from '../activities/hooks/answer-with-hooks.js';
import { eventAsContext } from '../activities/hooks/event-as-context.js';
import type { HookDependencies } from '../activities/hooks/hook-dependencies.js';
import { runHooks } from '../activities/hooks/run-hooks.js';
import { createAnswerScript } from '../activities/hooks/script-handler.js';
import { projectDefinitions } from '../activities/project-definitions.js';
import { EnvironmentVariables } from '../activities/secrets.js';
import type { EventContext, HookAnswer } from '../contracts/hooks.js';
import type { PlanHook } from '../contracts/plan.js';
import { RateLimiter } from '../kinds/api/call/rate-limit.js';
import { PinnedTools } from '../kinds/mcp/call/pinned-tools.js';
import { McpPool } from '../kinds/mcp/call/pool.js';
import { Transcripts } from '../kinds/model/call/transcript.js';
import { pathsOf } from '../server/project-paths.js';
import { TaskFileStore } from '../server/store/task-file-store.js';
import { hookDependenciesOf } from './prove-guards.js';
import { WorkerFolders } from './worker-folders.js';

/** To be closed by the caller. */
interface HooksOutsideTasks {
  dependencies: HookDependencies;
  close(): Promise<void>;
}

/** Runs hooks outside of a worker, with real scripts, abilities and secrets; does not log their usage. */
function openHooksOutsideTasks(root: string, project: string, env: NodeJS.ProcessEnv): HooksOutsideTasks {
  const paths = pathsOf(root);
  const { groups, store, scripts, secrets, close } = hookDependenciesOf(root, env);
  const folders = new WorkerFolders(paths.calls);
  const pool = new McpPool({ root, groups });
  const tools = new PinnedTools(pool, store, root);
  const transcripts = new Transcripts(store);
  const execute = createExecute({ root, groups, scripts, pool, tools, transcripts, env, limiter: new RateLimiter() });
  const files = { store: new TaskFileStore(store, project), folders };
  return {
    dependencies: {
      answerScript: createAnswerScript({ root, groups, scripts, secrets }),
      answerAbility: createAnswerAbility({ root, execute, secrets, files }),
      secrets,
      definitions: projectDefinitions(root),
      recordUsage: () => {},
    },
    async close() {
      await pool.close();
      close();
      folders.close();
    },
  };
}

export interface HookTrial {
  /** @param now value of `now()`; undefined: the time of this machine. */
  ask(hook: PlanHook, event: EventContext, now?: number): Promise<HookAnswer>;
  close(): Promise<void>;
}

/** For `ability hooks test`. */
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

export interface GuardRequest extends Question {
  environment: string;
  env: NodeJS.ProcessEnv;
}

/** Runs an ability's guards here, without a server. One that cannot run refuses instead of throwing. */
export async function askGuards(call: GuardRequest): Promise<HookAnswer[]> {
  const { root, env, environment } = call;
  let hooks: HooksOutsideTasks | undefined;
  try {
    return await answerWithHooks(call, new EnvironmentVariables(root, environment, env), (project) => {
      hooks = openHooksOutsideTasks(root, project, env);
      return hooks.dependencies;
    });
  } finally {
    await hooks?.close();
  }
}
