import { matchesAnyGlob } from '../text/glob.js';
import { modulePath } from '../text/module-path.js';
import type { ChoosableAbility } from './read-abilities.js';

/**
 * Whether an ability belongs to the current scope: it has no place of its own, a module of it is there, or its hints say so. One that does
 * not ranks lower, and is never hidden. Source: R-000-31; docs/choosing.md#how-abilities-are-ranked.
 *
 * @param scope as `findScope` has it, such as `modules/users` or `integration`; null: no one says.
 */
export function isInScope(
  { modules, scopes }: Pick<ChoosableAbility, 'modules' | 'scopes'>,
  scope: string | null,
): boolean {
  if (scope === null) return true;
  if (scopes.length > 0) return matchesAnyGlob(scopes, scope) || matchesAnyGlob(scopes, `${scope}.`);
  return modules.length === 0 || modules.some((module) => isWithin(modulePath(module), modulePath(scope)));
}

/** One holds the other: `users` and `users/api`, in either direction. */
function isWithin(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
}
