import { AbilityError, reasonOf } from '../contracts/problem.js';
import { asDiskError, isNoRoom } from '../disk/disk-errors.js';
import { tailOf } from '../server/temporal/temporal-server.js';

export function serverFailed(logFile: string, cause: unknown): AbilityError {
  const tail = tailOf(logFile);
  return new AbilityError(
    {
      code: 'runtime.failed',
      message: `The Temporal server did not come up${tail ? `:\n${tail}` : ''}`,
      suggestion: `Read ${logFile}.`,
    },
    { cause },
  );
}

/** The error for an unseen runtime's surviving server: a second server would destroy the database. */
export function stillServed(address: string): AbilityError {
  return new AbilityError({
    code: 'runtime.failed',
    message: `A runtime that cannot be seen from here has died, but its Temporal server still answers at ${address}`,
    suggestion: 'End that server where it runs, then run the command again.',
  });
}

/** Converts any failure of a runtime to an AbilityError. @param file being written. */
export function asFailure(error: unknown, file: string): AbilityError {
  if (error instanceof AbilityError) return error;
  if (isNoRoom(error)) return asDiskError(error, file);
  const message = reasonOf(error);
  return new AbilityError({ code: 'runtime.failed', message }, { cause: error });
}
