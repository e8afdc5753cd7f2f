import type { PlanApiParam } from '../../contracts/api.js';
import type { Json } from '../../contracts/json.js';
import { encode, encodeKeepingReserved } from './encode.js';
import { type Parts, partsOf } from './parts-of-value.js';

/** A name and a value of a query, a form or a cookie. */
export interface Pair {
  /** Not encoded yet. */
  name: string;
  /** Encoded. */
  value: string;
}

/** Between the items of a list in one value. Source: OpenAPI Specification 3.1.1, "Style Examples". */
const DELIMITERS: Readonly<Record<string, string>> = { spaceDelimited: '%20', pipeDelimited: '%7C' };

/**
 * Writes an input as its style says: `ids=1&ids=2`, `ids=1,2`, `ids[a]=1`.
 *
 * @returns nothing for what is absent, null or without items.
 * @throws CallFailure `input.invalid` for what the style cannot write.
 */
export function writePairs(param: PlanApiParam, value: Json): Pair[] {
  const { name, style, explode, allow_reserved } = param;
  if (value === null) return [];
  const code = (text: string): string => (allow_reserved ? encodeKeepingReserved : encode)(text, name);
  if (style === 'json') return [{ name, value: code(JSON.stringify(value)) }];
  if (style === 'deepObject') return deepPairs(name, value, code);
  const parts = partsOf(name, value);
  if (!parts) return [];
  if (explode) return exploded(name, parts, code);
  return [
    {
      name,
      value: flatOf(parts)
        .map(code)
        .join(DELIMITERS[style ?? ''] ?? ','),
    },
  ];
}

function exploded(name: string, parts: Parts, code: (text: string) => string): Pair[] {
  if (parts.kind === 'map') return parts.entries.map(([key, text]) => ({ name: key, value: code(text) }));
  const items = parts.kind === 'list' ? parts.items : [parts.text];
  return items.map((text) => ({ name, value: code(text) }));
}

/** All texts of a value in one row: a map gives its names and values in turn. */
export function flatOf(parts: Parts): string[] {
  if (parts.kind === 'map') return parts.entries.flat();
  return parts.kind === 'list' ? parts.items : [parts.text];
}

/**
 * `a[b][c]=1` to any depth; lists as `a[]=1`, and with a number where their items have members of their own.
 *
 * The specification leaves all but flat maps open; this is what the services that ask for it read.
 */
function deepPairs(name: string, value: Json, code: (text: string) => string): Pair[] {
  if (value === null) return [];
  if (typeof value !== 'object') return [{ name, value: code(String(value)) }];
  if (!Array.isArray(value)) {
    return Object.entries(value).flatMap(([key, item]) => deepPairs(`${name}[${key}]`, item, code));
  }
  const numbered = value.some((item) => item !== null && typeof item === 'object');
  return value.flatMap((item, index) => deepPairs(`${name}[${numbered ? index : ''}]`, item, code));
}
