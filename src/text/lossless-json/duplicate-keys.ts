import { replaceParts } from './replace-parts.js';

/**
 * Keys that an object of a JSON text has twice, at any depth, each once. `JSON.parse` silently keeps the last,
 * though the first may be the intended one. Keys are compared decoded: escapes make no difference. @param json
 * valid JSON.
 */
export function duplicateKeys(json: string): string[] {
  const found = new Set<string>();
  const keep = (fault: string, path: readonly (string | number)[]): void => {
    if (fault.endsWith(' twice')) found.add(String(path.at(-1)));
  };
  replaceParts(json, (token) => token, keep);
  return [...found];
}
