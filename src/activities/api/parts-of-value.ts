import type { Json } from '../../contracts/json.js';
import { unusable } from './unusable.js';

/** A value as the styles of OpenAPI see it: one text, a list of texts, or texts by name. */
export type Parts =
  | { kind: 'one'; text: string }
  | { kind: 'list'; items: string[] }
  | { kind: 'map'; entries: [name: string, text: string][] };

/**
 * Takes a value apart. Null, also inside, is as if it were not there; so are lists and maps without anything.
 *
 * @throws CallFailure `input.invalid` for lists and maps inside others, which no such style can write.
 */
export function partsOf(name: string, value: Json): Parts | undefined {
  if (value === null) return undefined;
  if (Array.isArray(value)) {
    const items = value.filter((item) => item !== null).map((item) => textOf(name, item));
    return items.length > 0 ? { kind: 'list', items } : undefined;
  }
  if (typeof value !== 'object') return { kind: 'one', text: String(value) };
  const entries = Object.entries(value).flatMap(([key, item]): [string, string][] =>
    item === null ? [] : [[key, textOf(name, item)]],
  );
  return entries.length > 0 ? { kind: 'map', entries } : undefined;
}

function textOf(name: string, value: Json): string {
  if (value !== null && typeof value !== 'object') return String(value);
  const suggestion = 'Say in `params` how it is written: `style: json`, or in a query or form `style: deepObject`.';
  throw unusable(name, 'holds a list or map inside another, which this style cannot write', suggestion);
}
