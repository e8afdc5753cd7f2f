import { isRepeatable } from '../contracts/effects.js';
import type { PlanOperation } from '../contracts/plan.js';
import { AbilityError } from '../contracts/problem.js';
import type { AbilityConfig } from '../definitions/formats/config.js';
import type { ImplementationDocument } from '../definitions/formats/implementation.js';
import type { LowLevel } from '../definitions/formats/low-level.js';
import type { Loaded, Registry } from '../definitions/registry.js';
import { didYouMean } from '../rules/nearest.js';
import { checkParameters } from './check-parameters.js';
import { checkParams } from './check-params.js';
import type { Warn } from './doubt.js';
import type { EnvironmentVariables } from './environment-variables.js';
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
  const implementation = resolveImplementation(registry, chosen, settings, variables);
  const resolved: PlanOperation = {
    key: value.operation_key,
    version: value.version,
    summary: value.summary,
    modules: subject.modules,
    effects: value.effects,
    input_schema: value.input_schema,
    output_schema: value.output_schema ?? null,
    implementation,
    hooks: resolveHooks(registry, subject, levels, warn),
    fast: implementation.tags.includes('fast') && value.effects !== 'external_read' && isRepeatable(value.effects),
  };
  checkParameters(resolved, chosen, config, environment);
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

/** The configuration of an ability. @throws AbilityError when the file that might hold it is broken. */
export function configOf(registry: Registry, ability: string): Loaded<AbilityConfig> | undefined {
  const opaque = registry.opaque.find((file) => file.kind === 'config')?.problem;
  const broken = registry.broken.get(`config:${ability}`) ?? opaque;
  if (broken) throw new AbilityError(broken);
  return registry.configs.get(ability);
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

/**
 * The implementation of an operation: the default of its environment or configuration, else the only one.
 *
 * @throws AbilityError `config.*`, `definition.unknown_reference`, or what is wrong with the one that was meant.
 */
export function chooseImplementation(
  registry: Registry,
  operation: Loaded<LowLevel>,
  config: Loaded<AbilityConfig> | undefined,
  settings: EnvironmentSettings | undefined,
): ChosenImplementation {
  const key = operation.value.operation_key;
  const available = implementationsOf(registry, operation, config);
  const wanted = settings?.default_implementation ?? config?.value.default_implementation;
  const allowed = settings?.allowed_implementations ?? config?.value.allowed_implementations;
  if (wanted !== undefined) {
    const chosen = available.find(({ id }) => id === wanted);
    if (!chosen) throw unknownImplementation(wanted, key, available, registry, config as Loaded<AbilityConfig>);
    if (allowed && !allowed.includes(wanted)) {
      throw new AbilityError({
        code: 'config.invalid',
        message: `The default implementation ${wanted} of ${key} is not among \`allowed_implementations\``,
        location: config?.locate(['default_implementation']),
      });
    }
    return chosen;
  }
  const candidates = allowed ? available.filter(({ id }) => allowed.includes(id)) : available;
  const [only, another] = candidates;
  if (only && (!another || only.id === key)) return only;
  const broken = registry.broken.get(`implementation_of:${key}`);
  if (!only && broken) throw new AbilityError(broken);
  throw new AbilityError({
    code: 'config.no_implementation',
    message: only
      ? `${key} has several implementations (${candidates.map(({ id }) => id).join(', ')}) and no default`
      : `${key} has no implementation`,
    location: operation.locate([]),
    suggestion: only
      ? `Name one as \`default_implementation\` of ${key} in registry/config.`
      : 'Write `implementation` in the file of the operation, or a document in registry/implementations.',
  });
}

/** The implementations of an operation: from its configuration, inside it, and the documents for it. Source: C-19. */
function implementationsOf(
  registry: Registry,
  operation: Loaded<LowLevel>,
  config: Loaded<AbilityConfig> | undefined,
): ChosenImplementation[] {
  const key = operation.value.operation_key;
  if (config?.value.impl) return [{ id: key, body: config.value.impl, from: config, path: ['impl'] }];
  const documents = (documentsBy(registry).get(key) ?? []).map(
    (from): ChosenImplementation => ({ id: from.value.id, body: from.value, from, path: [] }),
  );
  const { implementation } = operation.value;
  if (!implementation) return documents;
  return [{ id: key, body: implementation, from: operation, path: ['implementation'] }, ...documents];
}

type Documents = Map<string, Loaded<ImplementationDocument>[]>;

/** By registry, which is not written to once it is loaded; a project of thousands asks for each operation many times. */
const documents = new WeakMap<Registry, Documents>();

function documentsBy(registry: Registry): Documents {
  const known = documents.get(registry);
  if (known) return known;
  const found: Documents = new Map();
  for (const document of registry.implementations.values()) {
    const { operation_key: key } = document.value;
    found.set(key, [...(found.get(key) ?? []), document]);
  }
  documents.set(registry, found);
  return found;
}

function unknownImplementation(
  wanted: string,
  key: string,
  available: ChosenImplementation[],
  registry: Registry,
  config: Loaded<AbilityConfig>,
): AbilityError {
  const broken = registry.broken.get(`implementation:${wanted}`);
  if (broken) return new AbilityError(broken);
  const names = available.map(({ id }) => id);
  return new AbilityError({
    code: 'definition.unknown_reference',
    message: `${key} has no implementation ${wanted}`,
    location: config.locate(['default_implementation']),
    suggestion: didYouMean(wanted, names) ?? (names.length > 0 ? `There are: ${names.join(', ')}.` : undefined),
  });
}
