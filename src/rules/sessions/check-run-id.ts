import { USER_KEY } from '../../contracts/names.js';
import { AbilityError } from '../../contracts/problem.js';

/** The id names a folder. @throws AbilityError `usage.invalid` for an invalid one, such as a path. */
export function checkRunId(id: string): string {
  if (USER_KEY.test(id)) return id;
  throw new AbilityError({
    code: 'usage.invalid',
    message: `${JSON.stringify(id)} is no id of a run`,
    suggestion: 'It has 1 to 64 letters, digits, dots, dashes and underscores, and begins with a letter or digit.',
  });
}
