import { basename } from 'node:path';
import { PHASES, type Phase } from '../contracts/hooks.js';

/** The phase a file of hooks is named after: `PreAbilityCall.yaml`, also written `pre_ability_call.yaml`. Source: C-05. */
export function phaseOf(file: string): Phase | undefined {
  const plain = (name: string): string => name.toLowerCase().replace(/[^a-z]/g, '');
  const name = plain(basename(file).replace(/\.ya?ml$/, ''));
  return PHASES.find((phase) => plain(phase) === name);
}
