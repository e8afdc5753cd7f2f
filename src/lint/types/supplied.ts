import type { Registry } from '../../definitions/registry.js';
import { implementationBodies } from '../../planning/resolve/choose-implementation.js';

const known = new WeakMap<Registry, Map<string, Set<string>>>();

/** Names of parameters that an implementation of an operation, or an environment, gives: some of them, or all. */
export function suppliedBy(registry: Registry, operation: string): ReadonlySet<string> {
  const all = known.get(registry) ?? collect(registry);
  known.set(registry, all);
  return all.get(operation) ?? NOTHING;
}

const NOTHING: ReadonlySet<string> = new Set();

function collect(registry: Registry): Map<string, Set<string>> {
  const all = new Map<string, Set<string>>();
  const add = (operation: string, defaults: object = {}): void => {
    const names = all.get(operation) ?? new Set();
    for (const name of Object.keys(defaults)) names.add(name);
    all.set(operation, names);
  };
  for (const { operation, body } of implementationBodies(registry)) add(operation, body.defaults);
  for (const [operation, { value }] of registry.configs) {
    for (const { defaults } of Object.values(value.environments ?? {})) add(operation, defaults);
  }
  return all;
}
