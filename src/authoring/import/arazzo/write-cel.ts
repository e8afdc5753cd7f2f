import type { Json } from '../../../contracts/json.js';
import { pointerTokens } from '../openapi/document-parts.js';

/** A CEL expression. `optional`: its value is an optional, so that an absent value can be left out. */
export interface CelValue {
  cel: string;
  optional: boolean;
}

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Words that cannot follow a dot. Source: CEL specification, "Syntax". */
const RESERVED =
  /^(true|false|null|in|as|break|const|continue|else|for|function|if|import|let|loop|package|namespace|return|var|void|while)$/;

/** A CEL string with escaped braces, since an unescaped `}}` would end the surrounding `${{`. */
export function textLiteral(text: string): string {
  return JSON.stringify(text)
    .replaceAll(
      /[{}$\u2028\u2029\u007f-\u009f]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    .replaceAll('\\/', '/');
}

export function literal(value: Json): string {
  if (typeof value === 'string') return textLiteral(value);
  if (value === null || typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  return `{${Object.entries(value)
    .map(([key, item]) => `${textLiteral(key)}: ${literal(item)}`)
    .join(', ')}}`;
}

export function select(base: string, name: string): string {
  return IDENTIFIER.test(name) && !RESERVED.test(name) ? `${base}.${name}` : `${base}[${textLiteral(name)}]`;
}

export function selectOptional(base: string, token: string | number): string {
  if (typeof token === 'number') return `${base}[?${token}]`;
  return IDENTIFIER.test(token) && !RESERVED.test(token) ? `${base}.?${token}` : `${base}[?${textLiteral(token)}]`;
}

/** The target of a JSON pointer in a value; a number is a list index. Source: RFC 6901. */
export function follow({ cel, optional }: CelValue, pointer: string): CelValue {
  const tokens = pointerTokens(pointer).map((token) => (/^(0|[1-9]\d{0,8})$/.test(token) ? Number(token) : token));
  return tokens.length === 0 ? { cel, optional } : { cel: tokens.reduce(selectOptional, cel), optional: true };
}

/** Unwraps an optional; an absent value becomes null. */
export function orNull({ cel, optional }: CelValue): string {
  return optional ? `${cel}.orValue(null)` : cel;
}

/** A template that keeps the type of its value. */
export function template({ cel }: { cel: string }): string {
  return `\${{ ${cel} }}`;
}
