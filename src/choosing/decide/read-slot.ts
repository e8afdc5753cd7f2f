import type { Json, JsonObject } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';
import { readInput } from '../../text/lossless-json/read-json.js';
import { fitting } from '../read-inputs.js';
import { agreesTo } from './consent.js';

/** Throws an AbilityError if the value does not match the schema. */
export type CheckValue = (schema: JsonObject, value: Json) => void;

const MAX_WORDS_OF_A_TEXT = 12;

/**
 * The value of the schema that the whole text is; undefined if it says more or something else. For type `string`
 * it must read as a value, not as a request. Source: R-003-05; docs/choosing.md#deciding.
 */
export function readSlot(
  text: string,
  schema: JsonObject,
  check: CheckValue,
  isRequest: (text: string) => boolean,
): Json | undefined {
  const value = valueIn(text.trim(), schema, isRequest);
  return value !== undefined && fits(schema, value, check) ? value : undefined;
}

function valueIn(text: string, schema: JsonObject, isRequest: (text: string) => boolean): Json | undefined {
  const { type, enum: choices } = schema;
  if (type === undefined && !Array.isArray(choices)) return parsed(text);
  if (type === 'boolean')
    return /^(?:on|off)$/i.test(text) ? /^on$/i.test(text) : (agreesTo(text) ?? fitting(schema, text));
  if (type === 'integer' || type === 'number')
    return fitting(schema, text.replace(/^\+|(?:[.!]|,?\s+(?:please|pls|thanks))$/gi, ''));
  if (type === 'string' && !Array.isArray(choices))
    return isValue(text, schema, isRequest) ? unquoted(text) : undefined;
  return fitting(schema, unquoted(text)) ?? parsed(text);
}

function isValue(text: string, schema: JsonObject, isRequest: (text: string) => boolean): boolean {
  if (unquoted(text) !== text) return true;
  // A pattern, format or constant decides what a value is; otherwise a sentence that asks is a request of its own.
  const isNarrow = ['pattern', 'format', 'const'].some((key) => schema[key] !== undefined);
  const words = text.split(/\s+/).length;
  if (isNarrow) return words === 1 || (isWhole(text, schema.pattern) && !isRequest(text));
  return words <= MAX_WORDS_OF_A_TEXT && !text.includes('\n') && !isRequest(text);
}

/** Patterns may match a part; a text of several words must match as a whole. */
function isWhole(text: string, pattern: Json | undefined): boolean {
  if (typeof pattern !== 'string') return false;
  try {
    return new RegExp(`^(?:${pattern})$`, 'u').test(text);
  } catch {
    return false;
  }
}

function unquoted(text: string): string {
  return /^(["'`])((?:(?!\1).)*)\1$/s.exec(text)?.[2] ?? text;
}

function parsed(text: string): Json | undefined {
  try {
    return /^[[{]/.test(text) ? readInput(text, { what: 'It' }) : undefined;
  } catch {
    return undefined;
  }
}

function fits(schema: JsonObject, value: Json, check: CheckValue): boolean {
  try {
    check(schema, value);
    return true;
  } catch (error) {
    if (error instanceof AbilityError) return false;
    throw error;
  }
}
