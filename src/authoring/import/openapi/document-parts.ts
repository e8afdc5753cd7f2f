import { isJsonObject } from '../../../contracts/json.js';

/** A map of a foreign document; its members are unchecked. */
export type Part = Readonly<Record<string, unknown>>;

export function isPart(value: unknown): value is Part {
  return isJsonObject(value);
}

/** The value if it is a map; otherwise an empty map. */
export function partOf(value: unknown): Part {
  return isPart(value) ? value : {};
}

/** An own member of a value, never one of its prototype; undefined if absent. */
export function memberOf(value: unknown, key: string): unknown {
  return isPart(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** The value if it is a list; otherwise an empty list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value if it is a non-empty string. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** Thrown if an operation cannot become an ability; the import reports it with the operation's name. */
export class NotExpressible extends Error {
  override readonly name = 'NotExpressible';
}

/** One line without control or hidden characters. @param max characters; longer text ends in `...`. */
export function cleanText(text: string, max: number): string {
  const plain = text
    .replaceAll(/[\s\u0085]+/gu, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/gu, '')
    .trim();
  if (plain.length <= max) return plain;
  // Does not split a surrogate pair.
  const cut = plain.slice(0, max - 3).replace(/[\uD800-\uDBFF]$/, '');
  return `${cut.trimEnd()}...`;
}
