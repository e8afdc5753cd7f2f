import { RateLimiter } from '../activities/api/rate-limit.js';
import { createExecute } from '../activities/execute.js';
import { createAnswerAbility } from '../activities/hooks/ability-handler.js';
import type { HookDependencies } from '../activities/hooks/hook-dependencies.js';
import { projectDefinitions } from '../activities/hooks/project-definitions.js';
import { createAnswerScript } from '../activities/hooks/script-handler.js';
import { PinnedTools } from '../activities/mcp/pinned-tools.js';
import { McpPool } from '../activities/mcp/pool.js';
import { Transcripts } from '../activities/model/transcript.js';
import { pathsOf } from '../server/project-paths.js';
import { TaskFileStore } from '../server/store/task-file-store.js';
import { hookDependenciesOf } from './prove-guards.js';
import { WorkerFolders } from './worker-folders.js';

/** What hooks need to be asked in this process; to be closed. */
export interface HooksOutsideTasks {
  dependencies: HookDependencies;
  close(): Promise<void>;
}

/**
 * Lets hooks be asked as a worker of the project would ask them, with no task and no server.
 *
 * Scripts and abilities really run, with the secrets of the environment; nothing is written to the log of usage.
 */
export function openHooksOutsideTasks(root: string, project: string, env: NodeJS.ProcessEnv): HooksOutsideTasks {
  const paths = pathsOf(root);
  const { groups, store, scripts, secrets } = hookDependenciesOf(root, env);
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
      groups.close();
      folders.close();
    },
  };
}
