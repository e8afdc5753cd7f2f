import { AbilityError, type SourceLocation } from '../../contracts/problem.js';

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
  if (quote)
    throw refused(
      `A quote ${quote} in \`args_template\` is not closed`,
      'Close it, or write `args` as a list.',
      location,
    );
  if (item || open) items.push(item);
  return items;
}

function refused(message: string, suggestion: string, location: SourceLocation): AbilityError {
  return new AbilityError({ code: 'definition.invalid', message, location, suggestion });
}
