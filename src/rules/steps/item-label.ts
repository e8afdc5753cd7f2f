import type { Json } from '../../contracts/json.js';
import { oneLine, startOf } from '../shown-text.js';

/** Maximum characters: reports list the label of every failed item. */
const MAX_LABEL = 80;

/** Reduces a text to one short line without invisible characters; undefined if it is empty. */
export function labelFrom(text: string): string | undefined {
  // Avoids reading a long text to its end.
  const line = oneLine(startOf(text.trimStart(), 2 * MAX_LABEL));
  const label = line.length > MAX_LABEL ? `${startOf(line, MAX_LABEL - 3)}...` : line;
  return label === '' ? undefined : label;
}

/** For an item without `label`: a string, number or boolean itself, else the beginning of its JSON. */
export function defaultLabel(item: Json): string | undefined {
  if (item === null) return undefined;
  return labelFrom(typeof item === 'object' ? JSON.stringify(item) : String(item));
}
