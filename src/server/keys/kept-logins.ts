import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { RIGHTS } from '../../contracts/access.js';
import { AbilityError, reasonOf } from '../../contracts/problem.js';
import { writeWhole } from '../../disk/write-files.js';
import { whyNotPrivate } from './private-file.js';

const login = z.strictObject({
  token: z.string(),
  person: z.string(),
  can: z.array(z.enum(RIGHTS)),
  expires_at: z.iso.datetime(),
});
const kept = z.strictObject({ format: z.literal(1), doors: z.record(z.string(), login) });

/** A token that `ability login` got at a door. */
export type KeptLogin = z.infer<typeof login>;

/** The login at a door, which may be over. @throws AbilityError `door.login_not_private`. */
export function readLogin(file: string, door: string): KeptLogin | undefined {
  return readAll(file)[door];
}

/** Keeps a login, or removes that of the door, in a file of this user alone. @throws AbilityError `door.login_not_private`. */
export function keepLogin(file: string, door: string, given: KeptLogin | undefined): void {
  const { [door]: _, ...others } = readAll(file);
  const doors = given ? { ...others, [door]: given } : others;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeWhole(file, `${JSON.stringify({ format: 1, doors }, null, 2)}\n`, 0o600);
}

function readAll(file: string): Record<string, KeptLogin> {
  if (!existsSync(file)) return {};
  try {
    const open = whyNotPrivate(file);
    if (open === undefined) return kept.parse(JSON.parse(readFileSync(file, 'utf8'))).doors;
    throw new Error(open);
  } catch (error) {
    const message = `The tokens in ${file} are not used: ${reasonOf(error)}`;
    const suggestion = 'Remove the file, and sign in again: `ability login`.';
    throw new AbilityError({ code: 'door.login_not_private', message, suggestion }, { cause: error });
  }
}
