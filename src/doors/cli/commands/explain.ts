import { CODES, meaningOf } from '../../../contracts/codes.js';
import { EXIT, type ExitCode } from '../../../contracts/exit-codes.js';
import { AbilityError } from '../../../contracts/problem.js';
import { didYouMean } from '../../../rules/nearest.js';
import type { Context } from '../context.js';

/** `ability explain CODE`: what an error code means and what to do. */
export async function run({ terminal, flags }: Context, [code = '']: string[]): Promise<ExitCode> {
  const meaning = meaningOf(code);
  if (!meaning) {
    throw new AbilityError({
      code: 'usage.invalid',
      message: `${code} is no error code of ours`,
      suggestion:
        didYouMean(code, Object.keys(CODES)) ?? 'An author may have chosen it: look for `fail` in the workflow.',
    });
  }
  const { means, next, exit } = meaning;
  if (flags.json) terminal.printJson({ code, means, next, exit });
  else terminal.print(`${code}  (exit ${exit})\n\n${means}\n${next}`);
  return EXIT.ok;
}
