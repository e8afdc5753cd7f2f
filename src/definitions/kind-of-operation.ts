import type { ImplementationDocument } from './formats/implementation.js';
import type { LowLevel } from './formats/low-level.js';
import type { Registry } from './registry.js';

/** The kind of an operation's implementation, from all files; `-`: none, or several kinds. */
export function kindOfOperation({ configs, implementations }: Registry): (operation: LowLevel) => string {
  const byOperation = new Map<string, ImplementationDocument[]>();
  for (const { value } of implementations.values()) {
    const others = byOperation.get(value.operation_key);
    if (others) others.push(value);
    else byOperation.set(value.operation_key, [value]);
  }
  return ({ operation_key: key, implementation }) => {
    const config = configs.get(key)?.value;
    if (config?.impl) return config.impl.kind;
    const documents = byOperation.get(key) ?? [];
    const chosen = documents.find(({ id }) => id === config?.default_implementation);
    const kinds = new Set([...(implementation ? [implementation] : []), ...documents].map(({ kind }) => kind));
    const [only] = kinds;
    return chosen?.kind ?? (kinds.size === 1 && only !== undefined ? only : (implementation?.kind ?? '-'));
  };
}
