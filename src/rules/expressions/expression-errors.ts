import { AbilityError } from '../../contracts/problem.js';

/** The `expression.syntax` error for an invalid expression. */
export function notValid(
  source: string,
  summary: string,
  range: { start: number; end: number } | undefined,
  cause?: unknown,
): AbilityError {
  return new AbilityError(
    {
      code: 'expression.syntax',
      message: `The expression \`${shorten(source)}\` is not valid: ${summary}`,
      details: range ? { range } : undefined,
      suggestion: hintFor(source),
    },
    { cause },
  );
}

function hintFor(whole: string): string {
  // Not what stands in its texts.
  const source = whole.replaceAll(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g, '""');
  if (/(^|[^=!<>])=([^=]|$)/.test(source)) return 'Compare with `==`.';
  if (/\b(and|or|not)\b/.test(source)) return 'Write `&&`, `||` and `!`.';
  if (/===|!==/.test(source)) return 'Write `==` and `!=`.';
  if (/\?\?/.test(source)) return 'Write `input.?name.orValue(other)`.';
  if (/\?\./.test(source)) return 'Write `input.?name`, with the dot before the question mark.';
  return 'Write CEL, such as `steps.seed.output.status == "success"`.';
}

/** The `expression.syntax` error for an unknown function. */
export function noSuchFunction(name: string, source?: string): AbilityError {
  const message = `There is no function ${name}`;
  return new AbilityError({
    code: 'expression.syntax',
    message: source === undefined ? message : `The expression \`${shorten(source)}\` is not valid: ${message}`,
    suggestion:
      'Expressions have the functions and macros of CEL, split, join, lowerAscii, matches, sum, now and uuid.',
  });
}

/** `expression.failed`. @param missing the nonexistent name that it reads, as written. */
export function failed(source: string, summary: string, missing: string | undefined, cause?: unknown): AbilityError {
  return new AbilityError(
    {
      code: 'expression.failed',
      message:
        missing === undefined
          ? `\`${shorten(source)}\` cannot be evaluated: ${summary}`
          : `\`${missing}\` does not exist (in \`${shorten(source)}\`)`,
      suggestion:
        missing === undefined ? undefined : `Check first with has(${missing}), or use an optional such as input.?name.`,
    },
    { cause },
  );
}

function shorten(source: string): string {
  return source.length > 120 ? `${source.slice(0, 117)}...` : source;
}

/** @throws AbilityError `expression.failed`, for a function that is not available in this place. */
export function unavailable(name: string): never {
  throw new AbilityError({
    code: 'expression.failed',
    message: `${name} is available only while a task runs`,
    suggestion: 'Use it in a step, not in a hook or a plan.',
  });
}
