/** Where a step, or a part of one, stands in its file, and which names of loops are known there. */
export interface Place {
  path: PropertyKey[];
  names: readonly string[];
}

/** A place further down. */
export function inside({ path, names }: Place, ...keys: PropertyKey[]): Place {
  return { path: [...path, ...keys], names };
}
