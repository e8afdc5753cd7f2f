import type { Json } from '../contracts/json.js';
import type { PlanImplementation } from '../contracts/plan.js';
import { callApi } from './api/call-api.js';
import type { RateLimiter } from './api/rate-limit.js';
import type { CallInput } from './call-input.js';
import { callMcp } from './mcp/call-mcp.js';
import type { McpPool } from './mcp/pool.js';
import { callScript } from './script/call-script.js';
import type { ProcessGroups } from './script/run-process.js';

/** What the three kinds of implementations need. */
export interface ExecuteDependencies {
  root: string;
  groups: ProcessGroups;
  limiter: RateLimiter;
  pool: McpPool;
}

/** Executes one attempt of a call with the implementation the plan chose. */
export function execute(
  implementation: PlanImplementation,
  call: CallInput,
  dependencies: ExecuteDependencies,
): Promise<Json> {
  switch (implementation.kind) {
    case 'script':
      return callScript(implementation, call, dependencies);
    case 'mcp':
      return callMcp(implementation, call, dependencies);
    case 'api':
      return callApi(implementation, call, dependencies);
  }
}
