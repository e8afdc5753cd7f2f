import { matchesGlob } from '../../text/glob.js';
import { modulePath } from '../../text/module-path.js';

/** All there is, also abilities that name no module. */
const EVERYTHING = '*';

/**
 * Whether a document that covers some modules covers an ability of these.
 *
 * A module covers what is below it: `users` also `users.api` and `users/db`; dots and slashes are the same here, and a
 * leading `modules/` does not count. `*` stands for any run of characters. An ability that names no module is valid
 * everywhere and special to nothing: only `*` covers it.
 */
export function covers(patterns: readonly string[], modules: readonly string[]): boolean {
  if (patterns.includes(EVERYTHING)) return true;
  const paths = patterns.map(modulePath);
  return modules.some((module) => {
    const name = modulePath(module);
    return paths.some((path) => matchesGlob(path, name) || matchesGlob(`${path}/*`, name));
  });
}

/** What a document covers that does not say: the module its folder is, or everything at the root of the project. */
export function domainOfFolder(folder: string): string[] {
  return [folder === '' ? EVERYTHING : folder];
}
