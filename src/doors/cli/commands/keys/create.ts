import { createSealKey } from '../../../../worker/seal-keys.js';
import type { AccessFlags } from '../../program/access.js';
import type { Context } from '../../program/context.js';

/** A key for `ABILITY_SEAL_KEYS`, stored nowhere. Only its value goes to stdout, for a secret store. */
export async function run(
  { terminal, flags, env }: Context,
  _: [],
  { id = idOf(new Date()), add }: AccessFlags['createKey'],
): Promise<void> {
  const value = createSealKey(id, add ? (env.ABILITY_SEAL_KEYS ?? '') : undefined);
  if (flags.json) terminal.printJson({ id, variable: 'ABILITY_SEAL_KEYS', value });
  else terminal.print(value);
  terminal.note(
    add
      ? `The new key ${id} comes last: it verifies and does not sign yet. Set this for all workers; then put ${id} first.`
      : 'Set this for all workers of an environment as ABILITY_SEAL_KEYS. It is not stored and not shown again.',
  );
}

/** Precise to the second, so that several keys of one day differ. */
function idOf(now: Date): string {
  return `k${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')}`;
}
