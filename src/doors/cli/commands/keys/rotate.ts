import { PAYLOAD_KEYS, rotateKeys, SEAL_KEYS } from '../../../../server/keys/key-list.js';
import type { AccessFlags } from '../../program/access.js';
import { type Context, printAnswer } from '../../program/context.js';

/** The keys of the variable with the last one first. Only its value goes to stdout, for a secret store. */
export async function run(context: Context, _: [], { payload }: AccessFlags['rotateKeys']): Promise<void> {
  const variable = payload ? PAYLOAD_KEYS : SEAL_KEYS;
  const value = rotateKeys(variable, context.env[variable.name] ?? '');
  const id = value.slice(0, value.indexOf(':'));
  printAnswer(context, { id, variable: variable.name, value }, () => value);
  const does = payload ? 'encrypts' : 'signs';
  context.terminal.note(
    `The key ${id} ${does} wherever this is set as ${variable.name}; the others stay for what is there.`,
  );
}
