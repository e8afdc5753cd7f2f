import type { Json } from '../../contracts/json.js';
import type { PlanOperation } from '../../contracts/plan.js';
import { callApi } from '../../kinds/api/call/call-api.js';
import type { RateLimiter } from '../../kinds/api/call/rate-limit.js';
import type { ImplementationOf, KindName } from '../../kinds/kind.js';
import { kindOf } from '../../kinds/kinds.js';
import { callMcp } from '../../kinds/mcp/call/call-mcp.js';
import type { PinnedTools } from '../../kinds/mcp/call/pinned-tools.js';
import type { McpPool } from '../../kinds/mcp/call/pool.js';
import { callModel } from '../../kinds/model/call/call-model.js';
import type { Transcripts } from '../../kinds/model/call/transcript.js';
import { callScript } from '../../kinds/script/call/call-script.js';
import type { PinnedScripts } from '../processes/pinned-scripts.js';
import type { ProcessGroups } from '../processes/run-process.js';
import type { SecretReader } from '../secrets/secret-reader.js';
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

/** A call whose secrets are not read yet. */
export type RequestedCall = Omit<CallInput, 'secrets'> & { secrets: SecretReader };

/** Reads its secrets, and executes one attempt of a call. @returns its unchecked output. @throws AbilityError, CallFailure. */
export type Execute = (operation: PlanOperation, call: RequestedCall) => Promise<Json>;

type Call<K extends KindName> = (
  implementation: ImplementationOf<K>,
  call: CallInput,
  dependencies: ExecuteDependencies,
) => Promise<Json>;

const CALLS: { readonly [K in KindName]: Call<K> } = {
  script: callScript,
  mcp: callMcp,
  api: callApi,
  model: callModel,
};

const callOf = <K extends KindName>({ kind }: { kind: K }): Call<K> => CALLS[kind];

export function createExecute(dependencies: ExecuteDependencies): Execute {
  return async ({ implementation }, call) => {
    const secrets = await call.secrets.read(kindOf(implementation).credentials(implementation), call.stop);
    return callOf(implementation)(implementation, { ...call, secrets }, dependencies);
  };
}
