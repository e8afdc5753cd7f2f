import type { PlanImplementation, PlanOperation } from '../../contracts/plan.js';
import type { OperationPreview } from '../../contracts/preview.js';
import { describeImplementation } from '../../rules/describe-implementation.js';
import { toolName } from '../../rules/tool-name.js';
import { credentialReferences } from '../secrets/credentials.js';

/** How an operation is done here. @param has whether a reference to a secret leads to one. */
export function previewOperation(operation: PlanOperation, has: (reference: string) => boolean): OperationPreview {
  const { key, version, effects, implementation, fast } = operation;
  const { id, kind, tags, timeout_ms, prompts } = implementation;
  return {
    key,
    version,
    effects,
    implementation: id,
    kind,
    tags,
    tool: toolName(operation),
    does: withoutLogin(doesOf(implementation)),
    timeout_ms,
    fast,
    rate_limit: kind === 'api' ? implementation.api.rate_limit : null,
    credentials: credentialReferences(implementation).map((one) => ({ ...one, is_set: has(one.reference) })),
    prompts: Object.keys(prompts),
  };
}

function doesOf(implementation: PlanImplementation): string {
  const what = describeImplementation(implementation);
  if (implementation.kind !== 'mcp') return what;
  const { server } = implementation.mcp;
  return `${what} (${server.transport === 'http' ? server.url : [server.command, ...server.args].join(' ')})`;
}

/** An address may carry a name and a password. */
function withoutLogin(text: string): string {
  return text.replaceAll(/\/\/[^/\s@]+@/g, '//***@');
}
