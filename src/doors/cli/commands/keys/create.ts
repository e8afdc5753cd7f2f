import { AbilityError } from '../../../../contracts/problem.js';
import { createDoorKey } from '../../../../server/keys/door-key.js';
import { createSealKey } from '../../../../worker/seal-keys.js';
import type { AccessFlags } from '../../program/access.js';
import { type Context, printAnswer } from '../../program/context.js';

/** A key for `ABILITY_SEAL_KEYS`, stored nowhere. Only its value goes to stdout, for a secret store. */
export async function run(context: Context, _: [], flags: AccessFlags['createKey']): Promise<void> {
  // Precise to the second, so that several keys of one day differ.
  const now = new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  const { id = `k${now}`, add, forDoor } = flags;
  if (forDoor) return createDoor(context, id, add);
  const value = createSealKey(id, add ? (context.env.ABILITY_SEAL_KEYS ?? '') : undefined);
  printAnswer(context, { id, variable: 'ABILITY_SEAL_KEYS', value }, () => value);
  context.terminal.note(
    add
      ? `The new key ${id} comes last: it verifies and does not sign yet. Set this for all workers; then put ${id} first.`
      : 'Set this for all workers of an environment as ABILITY_SEAL_KEYS. It is not stored and not shown again.',
  );
}

/** The secret half for the door, and the public one for ability.yaml. */
function createDoor(context: Context, id: string, add: boolean | undefined): void {
  if (add || !/^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(id)) {
    throw new AbilityError({
      code: 'usage.invalid',
      message: add ? 'A door has one key, so --add means nothing with --for-door' : `${id} cannot be the id of a key`,
      suggestion: add ? 'Leave out --add.' : 'An id is a letter and up to 63 letters, digits, _ and -.',
    });
  }
  const { value, publicKey } = createDoorKey(id);
  printAnswer(context, { id, variable: 'ABILITY_DOOR_KEY', value, public_key: publicKey }, () => value);
  context.terminal.note('Set this for the door alone as ABILITY_DOOR_KEY. It is not stored and not shown again.');
  context.terminal.note(`In ability.yaml, for the workers:\n\ndoors:\n  ${id}: ${publicKey}`);
}
