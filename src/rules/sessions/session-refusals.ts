import { SCOPE_FOLDER, USER_KEY } from '../../contracts/names.js';
import { AbilityError, usageError } from '../../contracts/problem.js';

export function sessionNotFound(session: string, project: string): AbilityError {
  return new AbilityError({
    code: 'session.not_found',
    message: `There is no session ${session} in the project ${project}`,
    suggestion: 'Start one: ability session start.',
  });
}

export function sessionStopped(session: string): AbilityError {
  return new AbilityError({
    code: 'session.stopped',
    message: `The session ${session} has ended`,
    suggestion: 'Start another one: ability session start.',
  });
}

export function sessionBusy(session: string, cause: unknown): AbilityError {
  const message = `The session ${session} has too much to do at once`;
  return new AbilityError({ code: 'session.busy', message, suggestion: 'Do it again in a moment.' }, { cause });
}

/** The id names a folder. @throws AbilityError `usage.invalid` for an invalid one, such as a path. */
export function checkRunId(id: string): string {
  if (USER_KEY.test(id)) return id;
  throw usageError(
    `${JSON.stringify(id)} is no id of a run`,
    'It has 1 to 64 letters, digits, dots, dashes and underscores, and begins with a letter or digit.',
  );
}

/** @throws AbilityError `usage.invalid` if it is not a path of a folder in the project. */
export function checkScope(scope: string): string {
  if (SCOPE_FOLDER.test(scope)) return scope;
  throw usageError(
    `${JSON.stringify(scope)} is no scope`,
    'A scope is a folder of the project, such as modules/users.',
  );
}
