import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { AbilityError } from '../../contracts/problem.js';
import { diskReason, isAbsent } from '../../disk/disk-errors.js';

const SHARE = 'Point ABILITY_STORE to the store that the workers of the environment share.';

export function notKept(what: string, where: string, cause: unknown): AbilityError {
  const message = `${what} could not be kept in ${where}: ${diskReason(cause)}`;
  const suggestion = 'Make room there, or point ABILITY_STORE elsewhere.';
  return new AbilityError({ code: 'store.full', message, suggestion }, { cause });
}

/** @param what such as `value`. */
export function absent(what: string, digest: string, where: string): AbilityError {
  const message = `The stored ${what} ${digest} is not in ${where}`;
  return new AbilityError({ code: 'store.not_shared', message, suggestion: SHARE });
}

export function damaged(what: string, digest: string, where: string): AbilityError {
  const message = `The stored ${what} ${digest} in ${where} is damaged`;
  return new AbilityError({ code: 'store.not_shared', message, suggestion: SHARE });
}

export function notRead(what: string, where: string, cause: unknown): AbilityError {
  const message = `${what} could not be read in ${where}: ${diskReason(cause)}`;
  return new AbilityError({ code: 'store.not_shared', message, suggestion: SHARE }, { cause });
}

export function notRemoved(what: string, where: string, cause: unknown): AbilityError {
  const message = `${what} could not be removed from ${where}: ${diskReason(cause)}`;
  return new AbilityError({ code: 'store.not_shared', message, suggestion: 'Check its permissions.' }, { cause });
}

/** Empty if the folder does not exist. @throws AbilityError `store.not_shared`. */
export async function entriesOf(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (isAbsent(error)) return [];
    throw notRead('The stored data', folder, error);
  });
}
