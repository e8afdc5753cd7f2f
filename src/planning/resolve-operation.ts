import { isRepeatable } from '../contracts/effects.js';
import type { PlanOperation } from '../contracts/plan.js';
import { AbilityError } from '../contracts/problem.js';
import type { AbilityConfig } from '../definitions/formats/config.js';
import type { LowLevel } from '../definitions/formats/low-level.js';
import type { Loaded, Registry } from '../definitions/registry.js';
import { checkParameters } from './check-parameters.js';
import { checkParams } from './check-params.js';
import { chooseImplementation, configOf } from './choose-implementation.js';
import type { Warn } from './doubt.js';
import type { EnvironmentVariables } from './environment-variables.js';
import { checkOutputFiles, resolveOutputFiles } from './output-files.js';
import { type HookBindings, type HookSubject, resolveHooks } from './resolve-hooks.js';
import {
  type ChosenImplementation,
  type EnvironmentSettings,
  resolveImplementation,
} from './resolve-implementation.js';
import { resolveEnvProfile } from './resolve-script.js';
import { checkSchema } from './schemas.js';

/**
 * Resolves a low-level ability for one environment: operation, implementation, configuration, environment, where a
 * later level overrides an earlier one key by key. Source: design, section 4; R-000-52 to R-000-54.
 *
 * @throws AbilityError that says what is missing and where.
 */
export function resolveOperation(
  registry: Registry,
  operation: Loaded<LowLevel>,
  variables: EnvironmentVariables,
  warn: Warn,
): PlanOperation {
  const { value } = operation;
  const { environment } = variables;
  checkScope(value.operation_key, operation, environment);
  checkSchemas(operation);
  const { chosen, config, settings, subject, levels } = hookLevels(registry, operation, environment);
  checkParams(chosen, value.input_schema);
  if (config && settings?.env_profile !== undefined) {
    resolveEnvProfile(registry, settings.env_profile, config, ['environments', environment, 'env_profile']);
  }
  const implementation = resolveImplementation(
    registry,
    chosen,
    settings,
    variables,
    value.output_schema !== undefined,
  );
  const resolved: PlanOperation = {
    key: value.operation_key,
    version: value.version,
    summary: value.summary,
    modules: subject.modules,
    effects: value.effects,
    input_schema: value.input_schema,
    output_schema: value.output_schema ?? null,
    ...(value.output_files && { output_files: resolveOutputFiles(value.output_files) }),
    implementation,
    hooks: resolveHooks(registry, subject, levels, warn),
    fast: implementation.tags.includes('fast') && value.effects !== 'external_read' && isRepeatable(value.effects),
  };
  checkParameters(resolved, chosen, config, environment);
  checkOutputFiles(resolved, operation);
  return resolved;
}

/** What decides which hooks stand around an operation: the implementation chosen for it, and who binds hooks. */
export function hookLevels(
  registry: Registry,
  operation: Loaded<LowLevel>,
  environment: string,
): {
  chosen: ChosenImplementation;
  config: Loaded<AbilityConfig> | undefined;
  settings: EnvironmentSettings | undefined;
  subject: HookSubject & { modules: string[] };
  levels: HookBindings[];
} {
  const { value } = operation;
  const config = configOf(registry, value.operation_key);
  const settings = config?.value.environments?.[environment];
  const chosen = chooseImplementation(registry, operation, config, settings);
  const subject = {
    ability: value.operation_key,
    modules: value.scope.modules ?? [],
    environment,
    effects: value.effects,
    tags: chosen.body.tags ?? [],
  };
  const levels: HookBindings[] = [
    { value: value.hooks, from: operation, path: ['hooks'] },
    { value: chosen.body.hooks, from: chosen.from, path: [...chosen.path, 'hooks'] },
    ...configLevels(config, settings, environment),
  ];
  return { chosen, config, settings, subject, levels };
}

/** The hook bindings of an ability's configuration, general ones before those of the environment. */
export function configLevels(
  config: Loaded<AbilityConfig> | undefined,
  settings: EnvironmentSettings | undefined,
  environment: string,
): HookBindings[] {
  if (!config) return [];
  return [
    { value: config.value.hooks, from: config, path: ['hooks'] },
    { value: settings?.hooks, from: config, path: ['environments', environment, 'hooks'] },
  ];
}

/** @throws AbilityError `scope.environment` when the ability is not for this environment. Source: R-000-28. */
export function checkScope(
  id: string,
  ability: Loaded<{ scope: { environments?: string[] | undefined } }>,
  environment: string,
): void {
  const allowed = ability.value.scope.environments;
  if (!allowed || allowed.includes(environment)) return;
  throw new AbilityError({
    code: 'scope.environment',
    message: `${id} is not available in ${environment}, only in ${allowed.join(', ')}`,
    location: ability.locate(['scope', 'environments']),
    suggestion: `Run in ${allowed.join(' or ')}: --env ${allowed[0]}.`,
  });
}

/** @throws AbilityError `definition.invalid` where a schema is none. */
export function checkSchemas(
  ability: Loaded<{ input_schema: LowLevel['input_schema']; output_schema?: LowLevel['output_schema'] }>,
): void {
  for (const key of ['input_schema', 'output_schema'] as const) {
    const schema = ability.value[key];
    if (!schema) continue;
    try {
      checkSchema(schema, `\`${key}\``);
    } catch (error) {
      if (!(error instanceof AbilityError)) throw error;
      const { path = [] } = (error.details ?? {}) as { path?: string[] };
      const location = ability.locate([key, ...path]);
      throw new AbilityError({ ...error.toProblem(), details: undefined, location }, { cause: error });
    }
  }
}
