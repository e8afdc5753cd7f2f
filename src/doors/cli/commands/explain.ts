import { CODES, meaningOf } from '../../../contracts/codes.js';
import { LINT_CODES, lintMeaningOf } from '../../../contracts/lint-codes.js';
import { type AbilityError, usageError } from '../../../contracts/problem.js';
import { didYouMean } from '../../../text/nearest.js';
import type { Context } from '../program/context.js';

/** `ability explain CODE`: the meaning of an error or lint code, and what to do. */
export async function run({ terminal, flags }: Context, [code]: [string]): Promise<void> {
  const error = meaningOf(code);
  const finding = lintMeaningOf(code);
  if (error) {
    const { means, next, exit } = error;
    if (flags.json) terminal.printJson({ code, means, next, exit });
    else terminal.print(`${code}  (exit ${exit})\n\n${means}\n${next}`);
  } else if (finding) {
    const { means, why, fix, severity } = finding;
    if (flags.json) terminal.printJson({ code, means, why, fix, severity });
    else terminal.print(`${code}  (${severity} of ability lint)\n\n${means}\n${why}\n${fix}`);
  } else throw unknown(code);
}

function unknown(code: string): AbilityError {
  return usageError(
    `${code} is neither an error code nor a lint code`,
    didYouMean(code, [...Object.keys(CODES), ...Object.keys(LINT_CODES)]) ??
      'An author may have chosen it: look for `fail` in the workflow.',
  );
}
