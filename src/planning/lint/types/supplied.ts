import type { Registry } from '../../../definitions/registry.js';
import { implementationBodies } from '../implementation-bodies.js';

const known = new WeakMap<Registry, Map<string, Set<string>>>();

/** Names of parameters that some implementation of an operation gives itself, whichever environment chooses it. */
export function suppliedBy(registry: Registry, operation: string): ReadonlySet<string> {
  const all = known.get(registry) ?? collect(registry);
  known.set(registry, all);
  return all.get(operation) ?? NOTHING;
}

const NOTHING: ReadonlySet<string> = new Set();

function collect(registry: Registry): Map<string, Set<string>> {
  const all = new Map<string, Set<string>>();
  for (const { operation, body } of implementationBodies(registry)) {
    const names = all.get(operation) ?? new Set();
    for (const name of Object.keys(body.defaults ?? {})) names.add(name);
    all.set(operation, names);
  }
  return all;
}
