import { attempt } from './attempt.js';

/** The steps of a JSON pointer (RFC 6901), without escapes. @param isFragment whether it is part of a URI. */
export function pointerSteps(pointer: string, isFragment = false): string[] {
  const steps = pointer.split('/').slice(1);
  const plain = isFragment ? steps.map((step) => attempt(() => decodeURIComponent(step), step)) : steps;
  return plain.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The part of a JSON value at a path; undefined: there is none. */
export function valueAt<Value>(value: Value, path: readonly PropertyKey[]): Value | undefined {
  let at: unknown = value;
  for (const step of path) {
    if (Array.isArray(at)) at = at[Number(step)];
    else at = at !== null && typeof at === 'object' && Object.hasOwn(at, step) ? Reflect.get(at, step) : undefined;
  }
  return at as Value | undefined;
}
