import { SCOPE_FOLDER } from '../../contracts/names.js';
import { AbilityError } from '../../contracts/problem.js';

/** The scope itself. @throws AbilityError `usage.invalid` for what is no folder of a project. */
export function checkScope(scope: string): string {
  if (SCOPE_FOLDER.test(scope)) return scope;
  throw new AbilityError({
    code: 'usage.invalid',
    message: `${JSON.stringify(scope)} is no scope`,
    suggestion: 'A scope is a folder of the project, such as modules/users.',
  });
}
