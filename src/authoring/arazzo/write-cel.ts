import type { Json } from '../../contracts/json.js';
import { pointerTokens } from '../openapi/document-parts.js';

/** A value as CEL. `optional`: it is an optional, so that an absent value is left out. */
export interface CelValue {
  cel: string;
  optional: boolean;
}

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Words that cannot be selected with a dot. Source: CEL specification, "Syntax". */
const RESERVED =
  /^(true|false|null|in|as|break|const|continue|else|for|function|if|import|let|loop|package|namespace|return|var|void|while)$/;

/** A text as CEL; braces are escaped, since `${{` and `}}` around it would end it. */
export function textLiteral(text: string): string {
  return JSON.stringify(text)
    .replaceAll(
      /[{}$\u2028\u2029\u007f-\u009f]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    .replaceAll('\\/', '/');
}

/** Any JSON as CEL. */
export function literal(value: Json): string {
  if (typeof value === 'string') return textLiteral(value);
  if (value === null || typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  return `{${Object.entries(value)
    .map(([key, item]) => `${textLiteral(key)}: ${literal(item)}`)
    .join(', ')}}`;
}

/** A member that must exist. */
export function select(base: string, name: string): string {
  return IDENTIFIER.test(name) && !RESERVED.test(name) ? `${base}.${name}` : `${base}[${textLiteral(name)}]`;
}

/** A member that may be absent. */
export function selectOptional(base: string, token: string | number): string {
  if (typeof token === 'number') return `${base}[?${token}]`;
  return IDENTIFIER.test(token) && !RESERVED.test(token) ? `${base}.?${token}` : `${base}[?${textLiteral(token)}]`;
}

/** The target of a JSON pointer inside a value. A number is the index in a list. Source: RFC 6901. */
export function follow({ cel, optional }: CelValue, pointer: string): CelValue {
  const tokens = pointerTokens(pointer).map((token) => (/^(0|[1-9]\d{0,8})$/.test(token) ? Number(token) : token));
  return tokens.length === 0 ? { cel, optional } : { cel: tokens.reduce(selectOptional, cel), optional: true };
}

/** A value where an optional is not allowed: an absent one is null. */
export function orNull({ cel, optional }: CelValue): string {
  return optional ? `${cel}.orValue(null)` : cel;
}

/** A value as a template that keeps its type. */
export function template({ cel }: { cel: string }): string {
  return `\${{ ${cel} }}`;
}
