import { isRepeatable } from '../../contracts/effects.js';
import type { PlanImplementation, PlanOperation } from '../../contracts/plan.js';
import type { LowLevel } from '../../definitions/formats/low-level.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { within } from '../../definitions/spot.js';
import { resolveApiSection } from '../../kinds/api/resolve.js';
import type { WrittenKindName } from '../../kinds/kind.js';
import { writtenKindOf } from '../../kinds/kinds.js';
import { resolveMcpSection } from '../../kinds/mcp/resolve.js';
import { resolveScriptSection } from '../../kinds/script/resolve.js';
import { holdsSession } from '../../rules/calls/tools-used.js';
import { resolveEnvProfile } from '../scripts/resolve-script.js';
import type { EnvironmentVariables } from '../secrets/secret-source.js';
import { type Available, checkCondition } from '../steps/check-names.js';
import { checkSchemas, checkScope } from './check-ability.js';
import { checkParameters, checkParams, resolveParameters } from './check-parameters.js';
import { chooseImplementation, INSTEAD, type Resolver, type ResolveSite } from './choose-implementation.js';
import { capped } from './resolve-environment.js';
import { checkOutputFiles, resolveOutputFiles } from './resolve-output.js';

/** Resolves one without the hooks around it. @throws AbilityError with the missing part and its place. */
export function resolveCallable(
  registry: Registry,
  operation: Loaded<LowLevel>,
  variables: EnvironmentVariables,
): PlanOperation {
  const { value } = operation;
  const { environment } = variables;
  checkScope(value.operation_key, operation, environment);
  checkSchemas(operation);
  const chosen = chooseImplementation(registry, operation, environment);
  const { config, settings } = chosen;
  checkParams(chosen, value.input_schema);
  if (config && settings?.env_profile !== undefined) {
    const path = ['environments', environment, 'env_profile'];
    resolveEnvProfile(registry, settings.env_profile, { from: config, path });
  }
  const hasOutputSchema = value.output_schema !== undefined;
  const implementation = resolveImplementation({ registry, chosen, variables, hasOutputSchema });
  const resolved: PlanOperation = {
    key: value.operation_key,
    version: value.version,
    summary: value.summary,
    modules: value.scope.modules ?? [],
    effects: value.effects,
    input_schema: value.input_schema,
    output_schema: value.output_schema ?? null,
    ...(value.output_files && { output_files: resolveOutputFiles(value.output_files) }),
    implementation,
    hooks: { pre_create: [], pre_call: [], post_call: [] },
    fast:
      implementation.tags.includes('fast') &&
      value.effects !== 'external_read' &&
      isRepeatable(value.effects) &&
      !holdsSession({ implementation }),
  };
  checkParameters(resolved, chosen, environment);
  checkOutputFiles(resolved, operation);
  return resolved;
}

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
function resolveImplementation(site: ResolveSite): PlanImplementation {
  const { registry, chosen } = site;
  const { id, body, settings } = chosen;
  if (body.fail_if !== undefined) checkCondition(body.fail_if, FAILING, within(chosen, 'fail_if'));
  return {
    id,
    tags: body.tags ?? [],
    ...resolveParameters(chosen),
    ...(body.fail_if !== undefined && { fail_if: body.fail_if }),
    prompts: settings?.prompts ?? {},
    timeout_ms: capped((settings?.timeout_sec ?? writtenKindOf(body).timeoutSec(body) ?? 60) * 1000, registry.project),
    ...resolverOf(body)(body, site),
  };
}
