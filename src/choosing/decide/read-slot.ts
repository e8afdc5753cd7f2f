import type { Json, JsonObject } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';
import { readInput } from '../../text/lossless-json/read-json.js';
import { faultOfNumber } from '../../text/lossless-json/replace-parts.js';
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
  const plain = text.trim();
  if (plain === '') return undefined;
  const values = candidatesOf(plain, schema, isRequest);
  return values.find((value) => fits(schema, value, check));
}

function candidatesOf(text: string, schema: JsonObject, isRequest: (text: string) => boolean): Json[] {
  const { type, enum: choices } = schema;
  if (Array.isArray(choices)) {
    const same = choices.filter((choice) => String(choice).toLowerCase() === unquoted(text).toLowerCase());
    return same.length === 1 ? (same as Json[]) : [];
  }
  switch (type) {
    case 'integer':
    case 'number':
      return numbersOf(text);
    case 'boolean':
      return switchesOf(text);
    case 'string':
      return textsOf(text, schema, isRequest);
    default:
      return parsed(text);
  }
}

function numbersOf(text: string): Json[] {
  const [, number] = /^([-+]?\d+(?:\.\d+)?)(?:[.!]|,?\s+(?:please|pls|thanks))?$/i.exec(text) ?? [];
  return number === undefined || faultOfNumber(number) ? [] : [Number(number)];
}

function switchesOf(text: string): Json[] {
  const agreed = /^(?:true|on)$/i.test(text) || (/^(?:false|off)$/i.test(text) ? false : agreesTo(text));
  return agreed === undefined ? [] : [agreed];
}

function textsOf(text: string, schema: JsonObject, isRequest: (text: string) => boolean): Json[] {
  const value = unquoted(text);
  if (value !== text) return [value];
  // A pattern, format or constant decides what a value is; otherwise a sentence that asks is a request of its own.
  const isNarrow = ['pattern', 'format', 'const'].some((key) => schema[key] !== undefined);
  const words = text.split(/\s+/).length;
  if (isNarrow) return words === 1 || (isWhole(text, schema.pattern) && !isRequest(text)) ? [text] : [];
  return words <= MAX_WORDS_OF_A_TEXT && !text.includes('\n') && !isRequest(text) ? [text] : [];
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

function parsed(text: string): Json[] {
  if (!/^[[{]/.test(text)) return [];
  try {
    return [readInput(text, { what: 'It' })];
  } catch {
    return [];
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
