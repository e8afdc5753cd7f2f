import type { ImplementationBase, PlanImplementation } from '../../contracts/plan.js';
import { within } from '../../definitions/spot.js';
import { resolveApiSection } from '../../kinds/api/resolve.js';
import type { WrittenKindName } from '../../kinds/kind.js';
import { writtenKindOf } from '../../kinds/kinds.js';
import { resolveMcpSection } from '../../kinds/mcp/resolve.js';
import { resolveScriptSection } from '../../kinds/script/resolve.js';
import { type Available, checkCondition } from '../steps/check-names.js';
import { resolveParameters } from './check-parameters.js';
import { capped } from './limits.js';
import { INSTEAD, type Resolver, type ResolveSite } from './resolver.js';

const FAILING: Available = {
  names: ['output', 'input', 'environment'],
  functions: [],
  where: '`fail_if`',
  instead: INSTEAD,
};

const RESOLVERS: { readonly [K in WrittenKindName]: Resolver<K> } = {
  script: resolveScriptSection,
  mcp: resolveMcpSection,
  api: resolveApiSection,
};

const resolverOf = <K extends WrittenKindName>({ kind }: { kind: K }): Resolver<K> => RESOLVERS[kind];

/**
 * Resolves scripts to bytes, servers and endpoints to addresses.
 * @throws AbilityError `definition.*`, `config.*`, `script.*`, `denied.host`.
 */
export function resolveImplementation(site: ResolveSite): PlanImplementation {
  const { body } = site.chosen;
  return { ...baseOf(site), ...resolverOf(body)(body, site) };
}

function baseOf({ registry, chosen, settings }: ResolveSite): ImplementationBase {
  const { id, body } = chosen;
  if (body.fail_if !== undefined) checkCondition(body.fail_if, FAILING, within(chosen, 'fail_if'));
  return {
    id,
    tags: body.tags ?? [],
    ...resolveParameters(chosen, settings),
    ...(body.fail_if !== undefined && { fail_if: body.fail_if }),
    prompts: settings?.prompts ?? {},
    timeout_ms: capped((settings?.timeout_sec ?? writtenKindOf(body).timeoutSec(body) ?? 60) * 1000, registry.project),
  };
}
