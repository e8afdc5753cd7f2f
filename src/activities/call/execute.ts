import type { Json } from '../../contracts/json.js';
import type { PlanOperation } from '../../contracts/plan.js';
import { callApi } from '../api/call-api.js';
import type { RateLimiter } from '../api/rate-limit.js';
import { callMcp } from '../mcp/call-mcp.js';
import type { PinnedTools } from '../mcp/pinned-tools.js';
import type { McpPool } from '../mcp/pool.js';
import { callModel } from '../model/call-model.js';
import type { Transcripts } from '../model/transcript.js';
import { callScript } from '../script/call-script.js';
import type { PinnedScripts } from '../script/pinned-scripts.js';
import type { ProcessGroups } from '../script/run-process.js';
import type { CallInput } from './call-input.js';

export interface ExecuteDependencies {
  root: string;
  groups: ProcessGroups;
  scripts: PinnedScripts;
  limiter: RateLimiter;
  pool: McpPool;
  tools: PinnedTools;
  transcripts: Transcripts;
  env: NodeJS.ProcessEnv;
}

/** Executes one attempt of a call. @returns its unchecked output. @throws AbilityError, CallFailure. */
export type Execute = (operation: PlanOperation, call: CallInput) => Promise<Json>;

export function createExecute(dependencies: ExecuteDependencies): Execute {
  return ({ implementation }, call) => {
    switch (implementation.kind) {
      case 'script':
        return callScript(implementation, call, dependencies);
      case 'mcp':
        return callMcp(implementation, call, dependencies);
      case 'api':
        return callApi(implementation, call, dependencies);
      case 'model':
        return callModel(implementation, call, dependencies);
    }
  };
}
