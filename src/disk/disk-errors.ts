import { AbilityError, reasonOf } from '../contracts/problem.js';

export function isAbsent(error: unknown): boolean {
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** What a function returns; `otherwise` where its file or folder does not exist. @throws other errors. */
export function unlessAbsent<T, Otherwise>(act: () => T, otherwise: Otherwise): T | Otherwise {
  try {
    return act();
  } catch (error) {
    if (isAbsent(error)) return otherwise;
    throw error;
  }
}

/** Whether an error, or its cause, means that the disk or the quota is full. */
export function isNoRoom(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT' || (cause !== undefined && isNoRoom(cause));
}

export function diskReason(error: unknown): string {
  return isNoRoom(error) ? 'the disk is full' : reasonOf(error);
}

/** Converts an error of the file system. @param what could not be written. */
export function asDiskError(cause: unknown, what: string): AbilityError {
  const message = `${what} could not be written: ${diskReason(cause)}`;
  const suggestion = isNoRoom(cause) ? 'Make room on the disk and run the command again.' : 'Check its permissions.';
  return new AbilityError({ code: 'runtime.failed', message, suggestion }, { cause });
}
