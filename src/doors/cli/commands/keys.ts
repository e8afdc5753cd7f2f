import { usageError } from '../../../contracts/problem.js';
import { createDoorKey } from '../../../server/keys/door-key.js';
import { createKey, PAYLOAD_KEYS, rotateKeys, SEAL_KEYS } from '../../../server/keys/key-list.js';
import type { KeyFlags } from '../program/access.js';
import { type Context, printAnswer } from '../program/context.js';

/** A key for `ABILITY_SEAL_KEYS` or `ABILITY_PAYLOAD_KEYS`, stored nowhere. Only its value goes to stdout, for a secret store. */
export async function create(context: Context, _: [], flags: KeyFlags['create']): Promise<void> {
  // Precise to the second, so that several keys of one day differ.
  const now = new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  const { id = `k${now}`, add, forDoor, payload } = flags;
  if (forDoor) return createDoor(context, id, add, payload);
  const variable = payload ? PAYLOAD_KEYS : SEAL_KEYS;
  const value = createKey(id, variable, add ? (context.env[variable.name] ?? '') : undefined);
  printAnswer(context, { id, variable: variable.name, value }, () => value);
  const who = payload ? 'all workers, command lines and doors' : 'all workers';
  context.terminal.note(
    add
      ? `The new key ${id} comes last: it ${payload ? 'decrypts and does not encrypt' : 'verifies and does not sign'} yet. Set this for ${who}; then put ${id} first with \`ability keys rotate${payload ? ' --payload' : ''}\`.`
      : `Set this for ${who} of an environment as ${variable.name}. It is not stored and not shown again.`,
  );
}

/** The secret half for the door, and the public one for ability.yaml. */
function createDoor(context: Context, id: string, add: boolean | undefined, payload: boolean | undefined): void {
  if (payload) throw usageError('A key is for the door or for payloads', 'Leave out --payload or --for-door.');
  if (add || !/^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(id)) {
    throw usageError(
      add ? 'A door has one key, so --add means nothing with --for-door' : `${id} cannot be the id of a key`,
      add ? 'Leave out --add.' : 'An id is a letter and up to 63 letters, digits, _ and -.',
    );
  }
  const { value, publicKey } = createDoorKey(id);
  printAnswer(context, { id, variable: 'ABILITY_DOOR_KEY', value, public_key: publicKey }, () => value);
  context.terminal.note('Set this for the door alone as ABILITY_DOOR_KEY. It is not stored and not shown again.');
  context.terminal.note(`In ability.yaml, for the workers:\n\ndoors:\n  ${id}: ${publicKey}`);
}

/** The keys of the variable with the last one first. Only its value goes to stdout, for a secret store. */
export async function rotate(context: Context, _: [], { payload }: KeyFlags['rotate']): Promise<void> {
  const variable = payload ? PAYLOAD_KEYS : SEAL_KEYS;
  const value = rotateKeys(variable, context.env[variable.name] ?? '');
  const id = value.slice(0, value.indexOf(':'));
  printAnswer(context, { id, variable: variable.name, value }, () => value);
  const does = payload ? 'encrypts' : 'signs';
  context.terminal.note(
    `The key ${id} ${does} wherever this is set as ${variable.name}; the others stay for what is there.`,
  );
}
