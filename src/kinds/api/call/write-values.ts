import { CallFailure } from '../../../activities/call/call-failure.js';
import type { PlanApiParam } from '../../../contracts/api.js';
import type { Json, JsonObject } from '../../../contracts/json.js';

/** A value as the styles of OpenAPI see it: one text, a list of texts, or texts by name. */
export type Parts =
  | { kind: 'one'; text: string }
  | { kind: 'list'; items: string[] }
  | { kind: 'map'; entries: [name: string, text: string][] };

/** Nulls, empty lists and maps are absent. @throws CallFailure `input.invalid` for nested lists and maps. */
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
  const suggestion = 'Set `style: json` in `params`, or `style: deepObject` in a query or form.';
  throw unusable(name, 'contains a list or map inside another, which this style cannot express', suggestion);
}

export interface Pair {
  /** Not encoded yet. */
  name: string;
  /** Encoded. */
  value: string;
}

/** Separators of a list in one value. Source: OpenAPI Specification 3.1.1, "Style Examples". */
const DELIMITERS: Readonly<Record<string, string>> = { spaceDelimited: '%20', pipeDelimited: '%7C' };

/** Such as `ids=1&ids=2`, `ids=1,2`, `ids[a]=1`. @throws CallFailure `input.invalid` otherwise. */
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

/** Flattens a value to one list of texts: a map gives its names and values in turn. */
export function flatOf(parts: Parts): string[] {
  if (parts.kind === 'map') return parts.entries.flat();
  return parts.kind === 'list' ? parts.items : [parts.text];
}

/** `a[b][c]=1` and `a[]=1`, numbered if items nest, as services read it; the specification has flat maps. */
function deepPairs(name: string, value: Json, code: (text: string) => string): Pair[] {
  if (value === null) return [];
  if (typeof value !== 'object') return [{ name, value: code(String(value)) }];
  if (!Array.isArray(value)) {
    return Object.entries(value).flatMap(([key, item]) => deepPairs(`${name}[${key}]`, item, code));
  }
  const numbered = value.some((item) => item !== null && typeof item === 'object');
  return value.flatMap((item, index) => deepPairs(`${name}[${numbered ? index : ''}]`, item, code));
}

/** Percent-encodes reserved characters. @throws CallFailure `input.invalid` for a lone surrogate. */
export function encode(text: string, name: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    throw unusable(name, 'contains half a character (a lone surrogate), which cannot be sent');
  }
}

/** As {@link encode}, but keeps reserved characters that neither end a value nor decode to a blank. */
function encodeKeepingReserved(text: string, name: string): string {
  return encode(text, name).replaceAll(/%(3A|2F|3F|40|24|2C|3B|3D)/g, (escaped) => decodeURIComponent(escaped));
}

/** The value of an input; null if absent. */
export function inputOf(input: JsonObject, name: string): Json {
  return Object.hasOwn(input, name) ? (input[name] ?? null) : null;
}

/** The failure for an input that cannot be sent as defined; nothing was sent. */
export function unusable(name: string, why: string, suggestion?: string): CallFailure {
  return new CallFailure({ code: 'input.invalid', message: `\`${name}\` ${why}`, suggestion });
}
