import { isRepeatable } from '../../contracts/effects.js';
import type { PlanOperation } from '../../contracts/plan.js';
import type { LowLevel } from '../../definitions/formats/low-level.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { holdsSession } from '../../rules/calls/holds-session.js';
import { resolveEnvProfile } from '../scripts/resolve-script.js';
import type { EnvironmentVariables } from '../secrets/secret-source.js';
import { checkSchemas, checkScope } from './check-ability.js';
import { checkParameters, checkParams } from './check-parameters.js';
import { chooseImplementation, configOf } from './choose-implementation.js';
import { resolveImplementation } from './resolve-implementation.js';
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
  const config = configOf(registry, value.operation_key);
  const settings = config?.value.environments?.[environment];
  const chosen = chooseImplementation(registry, operation, config, settings);
  checkParams(chosen, value.input_schema);
  if (config && settings?.env_profile !== undefined) {
    const path = ['environments', environment, 'env_profile'];
    resolveEnvProfile(registry, settings.env_profile, { from: config, path });
  }
  const hasOutputSchema = value.output_schema !== undefined;
  const implementation = resolveImplementation({ registry, chosen, settings, variables, hasOutputSchema });
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
  checkParameters(resolved, chosen, config, environment);
  checkOutputFiles(resolved, operation);
  return resolved;
}
