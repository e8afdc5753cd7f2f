import { type Composite, loadedComposite } from '../../definitions/find-ability.js';
import type { HookSubject } from '../../definitions/fits-match.js';
import type { AbilityConfig } from '../../definitions/formats/config.js';
import type { LowLevel } from '../../definitions/formats/low-level.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { chooseImplementation, configOf } from '../resolve/choose-implementation.js';

/** A definition that may bind hooks by name: operation, implementation, configuration, environment. */
export interface HookBindings {
  value: { pre_create?: string[]; pre_call?: string[]; post_call?: string[]; replace?: boolean } | undefined;
  from: Loaded<unknown>;
  path: PropertyKey[];
}

export interface HookLevels {
  subject: HookSubject & { modules: string[] };
  /** General bindings first. */
  levels: HookBindings[];
}

export function hookLevels(registry: Registry, operation: Loaded<LowLevel>, environment: string): HookLevels {
  const { operation_key: ability, scope, effects, hooks } = operation.value;
  const { body, from, path, config } = chooseImplementation(registry, operation, environment);
  const levels: HookBindings[] = [
    { value: hooks, from: operation, path: ['hooks'] },
    { value: body.hooks, from, path: [...path, 'hooks'] },
    ...configLevels(config, environment),
  ];
  const { kind, tags = [] } = body;
  return { subject: { ability, modules: scope.modules ?? [], environment, kind, effects, tags }, levels };
}

/** For a task of a workflow or agent. @param of what its calls amount to. */
export function compositeHookLevels(
  registry: Registry,
  id: string,
  environment: string,
  of: Pick<HookSubject, 'effects' | 'tags'>,
): HookLevels {
  const composite = loadedComposite(registry, id) as Loaded<Composite>;
  const { hooks, scope } = composite.value;
  const levels = [
    { value: hooks, from: composite, path: ['hooks'] },
    ...configLevels(configOf(registry, id), environment),
  ];
  return { subject: { ability: id, modules: scope.modules ?? [], environment, kind: 'workflow', ...of }, levels };
}

function configLevels(config: Loaded<AbilityConfig> | undefined, environment: string): HookBindings[] {
  if (!config) return [];
  const { hooks, environments } = config.value;
  return [
    { value: hooks, from: config, path: ['hooks'] },
    { value: environments?.[environment]?.hooks, from: config, path: ['environments', environment, 'hooks'] },
  ];
}
