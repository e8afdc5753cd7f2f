import { createSealKey } from '../../../../worker/seal-keys.js';
import type { AccessFlags } from '../../program/access.js';
import type { Context } from '../../program/context.js';

/**
 * `ability keys create`: a key that seals plans, in the form that `ABILITY_SEAL_KEYS` takes. Kept nowhere.
 *
 * Only the value goes to stdout, so that a shell or a store of secrets can take it.
 */
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
      ? `The new key ${id} comes last: it verifies and does not sign yet. Give this to all workers; then put ${id} first.`
      : 'Give this to all workers of an environment as ABILITY_SEAL_KEYS. It is kept nowhere and not shown again.',
  );
}

/** Told apart by the second, so that two keys of a day may stand side by side. */
function idOf(now: Date): string {
  return `k${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')}`;
}
