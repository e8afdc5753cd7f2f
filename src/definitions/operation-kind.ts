import type { LowLevel } from './formats/low-level.js';
import type { Registry } from './registry.js';

/** The kind of implementation an operation has, wherever it is written; `-` where it has none, or several kinds. */
export function kindOfOperation(
  { configs, implementations }: Registry,
  { operation_key: key, implementation }: LowLevel,
): string {
  const config = configs.get(key)?.value;
  if (config?.impl) return config.impl.kind;
  const documents = [...implementations.values()].map(({ value }) => value).filter((own) => own.operation_key === key);
  const chosen = documents.find(({ id }) => id === config?.default_implementation);
  const kinds = new Set([...(implementation ? [implementation] : []), ...documents].map(({ kind }) => kind));
  const [only] = kinds;
  return chosen?.kind ?? (kinds.size === 1 && only !== undefined ? only : (implementation?.kind ?? '-'));
}
