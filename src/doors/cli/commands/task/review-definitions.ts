import { AbilityError } from '../../../../contracts/problem.js';
import type { PreflightAnswer } from '../../../../contracts/task.js';
import type { Registry } from '../../../../definitions/registry.js';
import { plainText } from '../../output/plain-text.js';
import type { Context } from '../../program/context.js';

const MAX_NAMED = 5;

/**
 * Warns if the definitions of the worker, from which it plans, differ from those here. `--strict` refuses, and
 * also compares scripts, which it has to read for that. @throws AbilityError `config.registry_differs`.
 */
export async function reviewDefinitions(
  { flags, terminal }: Context,
  registry: Registry,
  { registry: digest, plan }: Pick<PreflightAnswer, 'registry' | 'plan'>,
): Promise<void> {
  if (digest !== registry.digest) {
    if (flags.strict) throw differs('The definitions of the worker differ from those here', 'these definitions');
    const message = 'The definitions of the worker differ from those here; the task runs those of the worker';
    terminal.note(`${terminal.style('yellow', 'warning')} ${plainText(message, '  ')}`);
  }
  if (!flags.strict) return;
  const { changedScripts } = await import('../../../../planning/scripts/changed-scripts.js');
  const changed = changedScripts(registry.root, plan);
  if (changed.length === 0) return;
  const more = changed.length > MAX_NAMED ? ` and ${changed.length - MAX_NAMED} more` : '';
  const named = changed.slice(0, MAX_NAMED).join(', ');
  throw differs(`Scripts of the worker differ from those here: ${named}${more}`, 'these scripts');
}

function differs(what: string, deployed: string): AbilityError {
  return new AbilityError({
    code: 'config.registry_differs',
    message: `${what}, and --strict was given`,
    suggestion: `Deploy ${deployed} to the workers, or leave out --strict.`,
  });
}
