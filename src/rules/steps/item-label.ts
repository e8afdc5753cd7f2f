import type { Json } from '../../contracts/json.js';
import { oneLine, startOf } from '../shown-text.js';

/** Characters of a label, so that one of each failed item fits into every report. */
const MAX_LABEL = 80;

/** Label of an item: one line, with invisible characters shown, cut; undefined if empty. */
export function labelFrom(text: string): string | undefined {
  // Leading blanks are not part of a line, and a long text is not read to its end.
  const line = oneLine(startOf(text.trimStart(), 2 * MAX_LABEL));
  const label = line.length > MAX_LABEL ? `${startOf(line, MAX_LABEL - 3)}...` : line;
  return label === '' ? undefined : label;
}

/** The label of an item without a `label`: itself where it is text, a number, true or false; else its JSON, cut. */
export function defaultLabel(item: Json): string | undefined {
  if (item === null) return undefined;
  return labelFrom(typeof item === 'object' ? JSON.stringify(item) : String(item));
}
