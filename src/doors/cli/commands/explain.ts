import { CODES, meaningOf } from '../../../contracts/codes.js';
import { LINT_CODES, lintMeaningOf } from '../../../contracts/lint-codes.js';
import { usageError } from '../../../contracts/problem.js';
import { didYouMean } from '../../../text/nearest.js';
import { type Context, printAnswer } from '../program/context.js';

/** `ability explain CODE`: the meaning of an error or lint code, and what to do. */
export async function run(context: Context, [code]: [string]): Promise<void> {
  const error = meaningOf(code);
  const finding = lintMeaningOf(code);
  if (error) {
    const { means, next, exit } = error;
    return printAnswer(context, { code, means, next, exit }, () => `${code}  (exit ${exit})\n\n${means}\n${next}`);
  }
  if (finding) {
    const { means, why, fix, severity } = finding;
    const text = `${code}  (${severity} of ability lint)\n\n${means}\n${why}\n${fix}`;
    return printAnswer(context, { code, means, why, fix, severity }, () => text);
  }
  throw usageError(
    `${code} is neither an error code nor a lint code`,
    didYouMean(code, [...Object.keys(CODES), ...Object.keys(LINT_CODES)]) ??
      'An author may have chosen it: look for `fail` in the workflow.',
  );
}
