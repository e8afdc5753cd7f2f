import { ABILITY_ID, RESERVED_NAMES } from '../../contracts/names.js';

/**
 * The operation key: the prefix, a dot, and the name at the source in lower case. What a key cannot hold becomes
 * `_`; repeated dots are one, and none is at an end. @returns the key, or why the name gives none.
 */
export function nameOperation(prefix: string, name: string): { key: string } | { reason: string } {
  const own = trimDots(name.toLowerCase().replaceAll(/[^a-z0-9_.-]+/g, '_'));
  if (!/[a-z0-9]/.test(own)) return { reason: 'its name has no letter or digit that an operation key could have' };
  const key = `${prefix}.${own}`;
  if (key.length > 100)
    return { reason: `its operation key would have ${key.length} characters, and 100 are the most` };
  return { key };
}

/** Key prefix of a source, made as by {@link nameOperation}; undefined where the name gives none. */
export function prefixOf(name: string): string | undefined {
  const prefix = trimDots(name.toLowerCase().replaceAll(/[^a-z0-9_.-]+/g, '_')).replace(/^[^a-z]+/, '');
  return ABILITY_ID.test(prefix) && !RESERVED_NAMES.has(prefix) ? prefix : undefined;
}

function trimDots(text: string): string {
  return text.replaceAll(/\.{2,}/g, '.').replaceAll(/^\.|\.$/g, '');
}
