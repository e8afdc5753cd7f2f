import { AbilityError } from '../../contracts/problem.js';

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
