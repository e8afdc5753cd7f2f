import type { SourceLocation } from '../contracts/problem.js';
import type { Loaded } from './registry.js';

/** A part of a definition, which errors locate. */
export interface Spot {
  from: Loaded<unknown>;
  /** Of the part in `from`. */
  path: readonly PropertyKey[];
}

/** A part of a part. */
export function within({ from, path }: Spot, ...keys: PropertyKey[]): Spot {
  return { from, path: [...path, ...keys] };
}

export function locationOf({ from, path }: Spot, part?: 'value' | 'key'): SourceLocation {
  return from.locate(path, part);
}
