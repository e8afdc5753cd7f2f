import { isJsonObject } from '../../contracts/json.js';

/** A map of a foreign document: any member may be anything. */
export type Part = Readonly<Record<string, unknown>>;

/** Whether a value is a map. */
export function isPart(value: unknown): value is Part {
  return isJsonObject(value);
}

/** A value as a map; any other value is an empty one. */
export function partOf(value: unknown): Part {
  return isPart(value) ? value : {};
}

/** The own member of a value; undefined where there is none. What the prototype has does not count. */
export function memberOf(value: unknown, key: string): unknown {
  return isPart(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** A value as a list; any other value is an empty one. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A value as text; undefined if it is empty or no text. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** Why an operation does not become an ability. Caught where operations are gathered, and reported with the name. */
export class NotExpressible extends Error {
  override readonly name = 'NotExpressible';
}

/**
 * Text of a document as people will read it: one line, without characters that act on a terminal or hide.
 *
 * @param most characters; longer text ends in `...`.
 */
export function cleanText(text: string, most: number): string {
  const plain = text
    .replaceAll(/[\s\u0085]+/gu, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/gu, '')
    .trim();
  if (plain.length <= most) return plain;
  // A character outside the basic plane has two halves, which belong together.
  const cut = plain.slice(0, most - 3).replace(/[\uD800-\uDBFF]$/, '');
  return `${cut.trimEnd()}...`;
}

/** The tokens of a JSON pointer, such as `/paths/~1pets`. Source: RFC 6901. */
export function pointerTokens(pointer: string): string[] {
  return pointer.split('/').slice(1).map(unescapedToken);
}

/** A token of a JSON pointer as the key that it means. */
export function unescapedToken(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** A part of an address decoded; as it is where it cannot be. */
export function decodedPart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
