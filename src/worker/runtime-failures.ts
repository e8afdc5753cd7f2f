import { AbilityError, reasonOf } from '../contracts/problem.js';
import { asDiskError, isNoRoom } from '../server/disk.js';
import { tailOf } from '../server/temporal/temporal-server.js';

/** The error for a server that did not come up, with the end of its output. */
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

/** The error for a server that outlives a runtime which could not be seen: two on one database would destroy it. */
export function stillServed(address: string): AbilityError {
  return new AbilityError({
    code: 'runtime.failed',
    message: `A runtime that cannot be seen from here has died, but its Temporal server still answers at ${address}`,
    suggestion: 'End that server where it runs, then run the command again.',
  });
}

/** Turns any failure of a runtime into an error of ours. @param file the file being written. */
export function asFailure(error: unknown, file: string): AbilityError {
  if (error instanceof AbilityError) return error;
  if (isNoRoom(error)) return asDiskError(error, file);
  const message = reasonOf(error);
  return new AbilityError({ code: 'runtime.failed', message }, { cause: error });
}
