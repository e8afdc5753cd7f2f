import { meaningOf } from '../../../contracts/codes.js';
import { EXIT, type ExitCode } from '../../../contracts/exit-codes.js';
import { AbilityError, formatLocation, type Problem } from '../../../contracts/problem.js';
import { oneLine } from '../../../rules/shown-text.js';
import type { Context } from '../program/context.js';
import { plainText } from './plain-text.js';
import { readableStack } from './readable-stack.js';
import { asTyped, type Typist } from './typed-command.js';

/** Says what went wrong: on stdout as one JSON value, else on stderr for people. @returns the exit code. */
export function reportError(
  error: unknown,
  context: Pick<Context, 'flags' | 'terminal'> & Partial<Pick<Context, 'env'>>,
): ExitCode {
  const problem = typedBy(context, problemOf(error));
  const { code, message, location, suggestion, details } = problem;
  if (context.flags.json) {
    const shown = { code, message, location: location ?? null, suggestion: suggestion ?? null, details };
    context.terminal.printJson({ status: 'error', error: shown });
  } else context.terminal.note(describeProblem(problem, context.terminal.style));
  return exitOf(problem);
}

/**
 * A problem in lines for people: what, where, what to do next. No line of a text can be mistaken for one of these.
 *
 * @param label what the first line begins with; below a line that says what failed already: blanks.
 */
export function describeProblem(
  problem: Problem,
  style: Context['terminal']['style'] = (_, text) => text,
  label = style('red', 'error'),
): string {
  const { code, message, location, suggestion } = problem;
  return [
    `${label} ${style('dim', code)} ${plainText(message)}`,
    ...(location ? [`  at ${oneLine(formatLocation(location))}`] : []),
    ...(suggestion ? [`  ${plainText(suggestion)}`] : []),
  ].join('\n');
}

/** A problem whose suggestion names commands as they are typed here. */
export function typedBy(typist: Typist, problem: Problem): Problem {
  const { suggestion } = problem;
  return suggestion === undefined ? problem : { ...problem, suggestion: asTyped(suggestion, typist) };
}

/** How a command ends that ends with this problem. */
export function exitOf({ code }: Problem): ExitCode {
  return meaningOf(code)?.exit ?? EXIT.failed;
}

function problemOf(error: unknown): Problem {
  if (error instanceof AbilityError) return error.toProblem();
  const message = error instanceof Error ? (error.stack ? readableStack(error.stack) : error.message) : String(error);
  return { code: 'internal.error', message, suggestion: 'Please report it.' };
}
