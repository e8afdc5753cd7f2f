import type { Registry } from '../../../definitions/registry.js';

const known = new WeakMap<Registry, Map<string, Set<string>>>();

/** Names of parameters that some implementation of an operation gives itself, whichever environment chooses it. */
export function suppliedBy(registry: Registry, operation: string): ReadonlySet<string> {
  const all = known.get(registry) ?? collect(registry);
  known.set(registry, all);
  return all.get(operation) ?? NOTHING;
}

const NOTHING: ReadonlySet<string> = new Set();

function collect({ operations, implementations, configs }: Registry): Map<string, Set<string>> {
  const all = new Map<string, Set<string>>();
  const add = (operation: string, defaults: object | undefined): void => {
    if (!defaults) return;
    const names = all.get(operation) ?? new Set();
    for (const name of Object.keys(defaults)) names.add(name);
    all.set(operation, names);
  };
  for (const [key, { value }] of operations) add(key, value.implementation?.defaults);
  for (const { value } of implementations.values()) add(value.operation_key, value.defaults);
  for (const [id, { value }] of configs) add(id, value.impl?.defaults);
  return all;
}
