import type { Json, JsonObject } from '../../contracts/json.js';
import { attempt, unlessRefused } from '../../text/attempt.js';
import { readInput } from '../../text/lossless-json/read-json.js';
import { fitting } from '../read-inputs.js';
import { asks } from '../request-of.js';
import { hasContent } from './asks-for.js';
import { agreesTo, isConsent } from './consent.js';
import { saidIn } from './said-text.js';
import { signalIn } from './signals.js';

/** Throws an AbilityError if the value does not match the schema. */
export type CheckValue = (schema: JsonObject, value: Json) => void;

const MAX_WORDS_OF_A_TEXT = 12;

/**
 * The value of the schema that the whole text is; undefined if it says more or something else. For type `string`
 * it must read as a value, not as a request. Source: R-003-05; docs/choosing.md#deciding.
 */
export function readSlot(text: string, schema: JsonObject, check: CheckValue): Json | undefined {
  const value = valueIn(text.trim(), schema);
  if (value === undefined) return undefined;
  return unlessRefused(() => {
    check(schema, value);
    return value;
  });
}

function valueIn(text: string, schema: JsonObject): Json | undefined {
  const { type, enum: choices } = schema;
  if (type === undefined && !Array.isArray(choices)) return parsed(text);
  if (type === 'boolean')
    return /^(?:on|off)$/i.test(text) ? /^on$/i.test(text) : (agreesTo(text) ?? fitting(schema, text));
  if (type === 'integer' || type === 'number')
    return fitting(schema, text.replace(/^\+|(?:[.!]|,?\s+(?:please|pls|thanks))$/gi, ''));
  if (type === 'string' && !Array.isArray(choices)) return isValue(text, schema) ? unquoted(text) : undefined;
  return fitting(schema, unquoted(text)) ?? parsed(text);
}

function isValue(text: string, schema: JsonObject): boolean {
  if (unquoted(text) !== text) return true;
  // A pattern, format or constant decides what a value is; otherwise a sentence that asks is a request of its own.
  const isNarrow = ['pattern', 'format', 'const'].some((key) => schema[key] !== undefined);
  const words = text.split(/\s+/).length;
  if (isNarrow) return words === 1 || (isWhole(text, schema.pattern) && !saysMore(text));
  return words <= MAX_WORDS_OF_A_TEXT && !text.includes('\n') && !saysMore(text);
}

/** Whether the text is a request, a withdrawal, a refusal or nothing of its own, instead of the awaited value. */
function saysMore(text: string): boolean {
  const said = saidIn(text);
  if (isConsent(said) !== undefined || !hasContent(said.split(/[,.;:!?\n]/)[0] ?? '')) return true;
  // "test-runner-7" looks like a request, but is a name.
  return !NAME.test(said.trim()) && (signalIn(said) !== undefined || asks(said));
}

/** One word with a sign or a digit in it. */
const NAME = /^(?=\S*[\d_./-])[\p{L}\d][^\s?!]*$/u;

/** Patterns may match a part; a text of several words must match as a whole. */
function isWhole(text: string, pattern: Json | undefined): boolean {
  return typeof pattern === 'string' && attempt(() => new RegExp(`^(?:${pattern})$`, 'u').test(text), false);
}

function unquoted(text: string): string {
  return /^(["'`])((?:(?!\1).)*)\1$/s.exec(text)?.[2] ?? text;
}

function parsed(text: string): Json | undefined {
  return /^[[{]/.test(text) ? attempt(() => readInput(text, { what: 'It' })) : undefined;
}
