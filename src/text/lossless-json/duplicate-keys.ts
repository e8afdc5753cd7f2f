import { replaceParts } from './replace-parts.js';

/**
 * Keys that an object of a JSON text has twice, at any depth, each once. `JSON.parse` silently keeps the last,
 * though the first may be the intended one. Keys are compared decoded: escapes make no difference. @param json
 * valid JSON.
 */
export function duplicateKeys(json: string): string[] {
  const found = new Set<string>();
  replaceParts(
    json,
    (token) => token,
    (key) => {
      found.add(key);
      return '""';
    },
  );
  return [...found];
}
