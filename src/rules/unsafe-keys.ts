import { AbilityError } from '../contracts/problem.js';

const UNSAFE: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
/** Deeper than any honest input, shallow enough for every recursive reader after us. */
const MOST_LEVELS = 200;

/**
 * Refuses keys that could reach an object's prototype, and values nested too deep to walk, anywhere in JSON data.
 *
 * @throws AbilityError with the given code, naming the path. Source: design, section 12.
 */
export function refuseUnsafeKeys(value: unknown, code = 'input.invalid', path = '', level = 0): void {
  if (value === null || typeof value !== 'object') return;
  if (level > MOST_LEVELS) {
    throw new AbilityError({ code, message: `The value is nested more than ${MOST_LEVELS} levels deep` });
  }
  for (const key of Object.keys(value)) {
    const at = Array.isArray(value) ? `${path}[${key}]` : path ? `${path}.${key}` : key;
    if (UNSAFE.has(key)) {
      throw new AbilityError({
        code,
        message: `The key ${JSON.stringify(key)} is not allowed (at ${at})`,
        suggestion: 'Rename it; this name reaches into the objects of JavaScript.',
      });
    }
    refuseUnsafeKeys((value as Record<string, unknown>)[key], code, at, level + 1);
  }
}
