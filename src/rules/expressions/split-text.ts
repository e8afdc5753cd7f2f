import type { Json } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';

/**
 * The pieces of a text with `${{ }}`, at least one. Braces and quotes inside an expression do not end it.
 * @throws AbilityError `expression.syntax` if it is not closed.
 */
export function splitText(text: string): (string | { source: string })[] {
  const parts: (string | { source: string })[] = [];
  let from = 0;
  for (let open = text.indexOf('${{'); open >= 0; open = text.indexOf('${{', from)) {
    const close = endOfExpression(text, open + 3);
    if (open > from) parts.push(text.slice(from, open));
    parts.push({ source: text.slice(open + 3, close).trim() });
    from = close + 2;
  }
  if (from < text.length || parts.length === 0) parts.push(text.slice(from));
  return parts;
}

/** The expressions of a text. @throws AbilityError as {@link splitText}. */
export function sourcesIn(text: string): string[] {
  return splitText(text).flatMap((part) => (typeof part === 'string' ? [] : [part.source]));
}

/** The parts of a text outside its expressions. @throws AbilityError as {@link splitText}. */
export function literalsIn(text: string): string[] {
  return splitText(text).filter((part) => typeof part === 'string');
}

/** All texts in a value, with their paths. @param path of the value. */
export function* textsIn(
  value: Json | undefined,
  path: readonly PropertyKey[] = [],
): Generator<{ value: string; path: PropertyKey[] }> {
  if (typeof value === 'string') yield { value, path: [...path] };
  else if (value !== null && typeof value === 'object') {
    for (const [key, item] of Object.entries(value)) yield* textsIn(item, [...path, key]);
  }
}

function endOfExpression(text: string, start: number): number {
  let depth = 0;
  let quote = '';
  for (let at = start; at < text.length; at += 1) {
    const character = text[at] as string;
    if (quote) {
      if (character === '\\') at += 1;
      else if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if (character === '{') depth += 1;
    else if (character === '}' && depth > 0) depth -= 1;
    else if (character === '}' && text[at + 1] === '}') return at;
  }
  throw new AbilityError({
    code: 'expression.syntax',
    message: `\`${text.slice(start - 3, start + 60)}\` has no closing }}`,
    suggestion: 'Close the expression with }}.',
  });
}
