import type { PlanOperation } from '../../contracts/plan.js';
import type { Composite } from '../../definitions/find-ability.js';
import type { AbilityConfig } from '../../definitions/formats/config.js';
import type { LowLevel } from '../../definitions/formats/low-level.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import type { HookSubject } from '../hooks/hook-subject.js';
import { type HookBindings, resolveHooks } from '../hooks/resolve-hooks.js';
import type { EnvironmentVariables } from '../secrets/secret-source.js';
import {
  type ChosenImplementation,
  chooseImplementation,
  configOf,
  type EnvironmentSettings,
} from './choose-implementation.js';
import type { Warn } from './plan-warning.js';
import { resolveCallable } from './resolve-callable.js';

/**
 * Merges operation, implementation, configuration and environment; later levels override earlier ones key by key.
 * Source: R-000-52 to R-000-54; docs/definitions.md. @throws AbilityError with the missing part and its place.
 */
export function resolveOperation(
  registry: Registry,
  operation: Loaded<LowLevel>,
  variables: EnvironmentVariables,
  warn: Warn,
): PlanOperation {
  const callable = resolveCallable(registry, operation, variables);
  const { subject, levels } = hookLevels(registry, operation, variables.environment);
  return { ...callable, hooks: resolveHooks(registry, subject, levels, warn, variables) };
}

/** What decides which hooks fire around an operation, and its chosen implementation. */
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
    kind: chosen.body.kind,
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

/** Where hooks are bound around a task of a workflow or agent. */
export function compositeLevels(registry: Registry, composite: Loaded<Composite>, environment: string): HookBindings[] {
  const config = configOf(registry, composite.value.id);
  const own = { value: composite.value.hooks, from: composite, path: ['hooks'] };
  return [own, ...configLevels(config, config?.value.environments?.[environment], environment)];
}

/** General bindings first, then those of the environment. */
function configLevels(
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
