import type { PlanOperation } from '../../contracts/plan.js';
import type { LowLevel } from '../../definitions/formats/low-level.js';
import type { Loaded } from '../../definitions/registry.js';
import { defined } from '../../text/defined.js';
import { hookLevels } from '../hooks/hook-levels.js';
import { resolveHooks } from '../hooks/resolve-hooks.js';
import type { Planning } from './plan-warning.js';
import { resolveCallable } from './resolve-callable.js';
import { resolveUnknown } from './resolve-unknown.js';

/**
 * Merges operation, implementation, configuration and environment; later levels override earlier ones key by key.
 * Source: R-000-52 to R-000-54; docs/definitions.md. @throws AbilityError with the missing part and its place.
 */
function resolveOperation({ registry, variables, warn }: Planning, operation: Loaded<LowLevel>): PlanOperation {
  const callable = resolveCallable(registry, operation, variables);
  const levels = hookLevels(registry, operation, variables.environment);
  const unknown = resolveUnknown(registry, operation);
  return { ...callable, hooks: resolveHooks(registry, levels, warn, variables), ...defined({ unknown }) };
}

/** Resolves an operation, and the one that is asked about its lost calls. @param found receives both by their keys. */
export function addOperation(
  planning: Planning,
  found: Record<string, PlanOperation>,
  loaded: Loaded<LowLevel>,
): PlanOperation {
  const { operation_key: key } = loaded.value;
  const known = Object.hasOwn(found, key) ? found[key] : undefined;
  if (known) return known;
  const operation = resolveOperation(planning, loaded);
  found[key] = operation;
  const asked = operation.unknown && planning.registry.operations.get(operation.unknown.call);
  if (asked) addOperation(planning, found, asked);
  return operation;
}
