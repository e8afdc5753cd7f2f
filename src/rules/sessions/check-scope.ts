import { SCOPE_FOLDER } from '../../contracts/names.js';
import { AbilityError } from '../../contracts/problem.js';

/** @throws AbilityError `usage.invalid` if it is not a path of a folder in the project. */
export function checkScope(scope: string): string {
  if (SCOPE_FOLDER.test(scope)) return scope;
  throw new AbilityError({
    code: 'usage.invalid',
    message: `${JSON.stringify(scope)} is no scope`,
    suggestion: 'A scope is a folder of the project, such as modules/users.',
  });
}
