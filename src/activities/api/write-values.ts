import type { PlanApiParam } from '../../contracts/api.js';
import type { Json, JsonObject } from '../../contracts/json.js';
import { CallFailure } from '../call/call-failure.js';

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
 * Writes an input in its style: `ids=1&ids=2`, `ids=1,2`, `ids[a]=1`.
 *
 * @returns an empty list for an absent value, null or an empty collection.
 * @throws CallFailure `input.invalid` for a value that the style cannot represent.
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
 * `a[b][c]=1` to any depth; lists as `a[]=1`, numbered where their items have members of their own.
 *
 * The specification defines only flat maps; services that use nesting read this form.
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

/**
 * Escapes a text for a URL: every reserved character.
 *
 * @throws CallFailure `input.invalid` for a lone surrogate, which UTF-8 cannot encode.
 */
export function encode(text: string, name: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    throw unusable(name, 'holds half a character (a lone surrogate), which cannot be sent');
  }
}

/** As {@link encode}, but leaves those reserved characters that neither end a value nor read as a blank. */
export function encodeKeepingReserved(text: string, name: string): string {
  return encode(text, name).replaceAll(/%(3A|2F|3F|40|24|2C|3B|3D)/g, (escaped) => decodeURIComponent(escaped));
}

/** The value of an input; null if absent. */
export function inputOf(input: JsonObject, name: string): Json {
  return Object.hasOwn(input, name) ? (input[name] ?? null) : null;
}

/** The failure of an input that cannot be sent as the definition says. Nothing was sent. */
export function unusable(name: string, why: string, suggestion?: string): CallFailure {
  return new CallFailure({ code: 'input.invalid', message: `\`${name}\` ${why}`, suggestion });
}
