import { AbilityError, type SourceLocation } from '../contracts/problem.js';

/** The names a template may hold, each one replaced inside its item. Source: answers, 25. */
export const PLACEHOLDERS = ['input_file', 'output_file', 'payload', 'task_key', 'idempotency_key', 'pinned'] as const;

/** Who runs a script, and which of these names its arguments may hold. */
export interface ArgumentNames {
  owner: 'script' | 'hook';
  known: readonly (typeof PLACEHOLDERS)[number][];
}

/** An implementation may use all of them. */
export const CALL_ARGUMENTS: ArgumentNames = { owner: 'script', known: PLACEHOLDERS };

/** A hook has no files of a call, and reads what it is asked about on stdin. Source: R-002-22. */
export const HOOK_ARGUMENTS: ArgumentNames = { owner: 'hook', known: ['pinned'] };

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

/**
 * Refuses names that nothing would replace.
 *
 * @throws AbilityError `definition.invalid` for an argument with an unknown name in braces.
 */
export function checkPlaceholders(
  items: readonly string[],
  { owner, known }: ArgumentNames,
  location: SourceLocation,
): void {
  for (const [, name] of items.join(' ').matchAll(/\{([A-Za-z][A-Za-z0-9_]*)\}/g)) {
    if ((known as readonly (string | undefined)[]).includes(name)) continue;
    const asked = owner === 'hook' ? ' What the hook is asked about is on its stdin.' : '';
    const message = `The arguments of a ${owner} do not know {${name}}`;
    throw refused(message, `They know {${known.join('}, {')}}.${asked}`, location);
  }
}

function refused(message: string, suggestion: string, location: SourceLocation): AbilityError {
  return new AbilityError({ code: 'definition.invalid', message, location, suggestion });
}
