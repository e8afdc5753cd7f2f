import { matchesGlob } from '../../text/glob.js';
import { modulePath } from '../../text/module-path.js';
import { literalOf } from './cell-text.js';

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

/** What a Scope cell says of an ability that is valid everywhere. */
const ANYWHERE = ['any', '*', ''];

/**
 * Whether a Scope cell names the very modules of a definition.
 *
 * Commas separate them; order, backticks, dots for slashes and a leading `modules/` make no difference. Source: C-43.
 */
export function isSameScope(cell: string, modules: readonly string[]): boolean {
  const named = cell.split(/[,;、，]/).map((part) => literalOf(part.trim()));
  const said = named.every((name) => ANYWHERE.includes(name.toLowerCase())) ? [] : named;
  return namesOf(said) === namesOf(modules);
}

function namesOf(modules: readonly string[]): string {
  return [...new Set(modules.map(modulePath))].sort().join('\n');
}
