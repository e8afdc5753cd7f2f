import { AbilityError, type SourceLocation } from '../contracts/problem.js';

/** The names a template may hold, each one replaced inside its item. Source: answers, 25. */
export const PLACEHOLDERS = ['input_file', 'output_file', 'payload', 'task_key', 'idempotency_key', 'pinned'] as const;

/**
 * Splits a template of arguments on blanks, with single and double quotes; no shell is ever involved.
 *
 * @throws AbilityError `definition.invalid` for an open quote.
 */
export function splitArguments(template: string, location: SourceLocation): string[] {
  const items: string[] = [];
  let item = '';
  let open = false;
  let quote = '';
  for (const character of template) {
    if (quote) {
      if (character === quote) quote = '';
      else item += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      open = true;
    } else if (/\s/.test(character)) {
      if (item || open) items.push(item);
      item = '';
      open = false;
    } else item += character;
  }
  if (quote) throw refused(`A quote ${quote} in \`args_template\` is not closed`, location);
  if (item || open) items.push(item);
  return items;
}

/** @throws AbilityError `definition.invalid` for an argument with an unknown name in braces. */
export function checkPlaceholders(items: readonly string[], location: SourceLocation): void {
  for (const [, name] of items.join(' ').matchAll(/\{([A-Za-z][A-Za-z0-9_]*)\}/g)) {
    if (!(PLACEHOLDERS as readonly (string | undefined)[]).includes(name)) {
      throw refused(`The arguments of a script do not know {${name}}`, location);
    }
  }
}

function refused(message: string, location: SourceLocation): AbilityError {
  return new AbilityError({
    code: 'definition.invalid',
    message,
    location,
    suggestion: `They know {${PLACEHOLDERS.join('}, {')}}.`,
  });
}
