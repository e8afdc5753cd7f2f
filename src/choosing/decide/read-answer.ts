import type { Json, JsonObject } from '../../contracts/json.js';
import type { Expectation, Pending } from '../../contracts/routing.js';
import { attempt, unlessRefused } from '../../text/attempt.js';
import { readInput } from '../../text/lossless-json/read-json.js';
import { fitting, single } from '../read-inputs.js';
import { asks } from '../request-of.js';
import { wordCount } from '../words.js';
import { hasContent } from './asks-for.js';
import { agreesTo, isConsent, plainAnswer, saidIn } from './said-text.js';
import { signalIn } from './signals.js';

/** Throws an AbilityError if the value does not match the schema. */
export type CheckValue = (schema: JsonObject, value: Json) => void;

/** The value that a whole text gives to what is pending; undefined if it says more or something else. */
export function readAnswer(text: string, { kind, expects }: Pending, check: CheckValue): Json | undefined {
  if (kind === 'workflow_waiting' && 'options' in expects) return readSelection(text, expects.options)?.value;
  return kind === 'slot_request' && 'schema' in expects ? readSlot(text, expects.schema, check) : undefined;
}

type Option = Extract<Expectation, { options: unknown }>['options'][number];

const NUMBERS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];
const AROUND =
  /^(?:(?:ok|okay|please|pls|i|choose|take|pick|want|would like|go with|let's|lets|do|use|the|option|number|(?:no|nr)(?=[\s.:#]*\d)|choice|answer|is|it's|its|#)\b[\s.:#-]*)+/i;

/** Whole text: number, ordinal, label or unique beginning. Source: R-003-04; docs/choosing.md#deciding. */
function readSelection(text: string, options: readonly Option[]): Option | undefined {
  const plain = plainAnswer(text);
  const matching = (fits: (name: string) => boolean): Option[] =>
    options.filter(({ label, value }) => [label, String(value)].some((name) => fits(plainAnswer(name))));
  const exact = matching((name) => name === plain);
  if (plain === '' || exact.length > 0) return single(exact);
  // "yes" does not select "Yesterday", but "cancel" selects "Cancel the order".
  const agreed = agreesTo(text);
  if (agreed !== undefined)
    return single(options.filter(({ label }) => beginsWith(label, plain))) ?? readAgreement(agreed, options);
  const bare = plain.replace(AROUND, '').replace(/\s+(?:one|option|please|pls|thanks)$/, '');
  if (isEither(bare, options)) return undefined;
  const placed = byPlace(bare, plain, options);
  if (placed) return placed;
  const named = matching((name) => name === bare);
  const isLetter = bare.length < 2 && !/\d/.test(bare);
  return single(named.length > 0 || isLetter ? named : matching((name) => name.startsWith(bare)));
}

function byPlace(bare: string, plain: string, options: readonly Option[]): Option | undefined {
  // Among "3 days" and "1 day" a number is not a position.
  if (/^\d/.test(bare) && options.some(({ label }) => /^\d/.test(plainAnswer(label)))) return undefined;
  const number = /^#?(\d{1,3})(?:st|nd|rd|th|\.|\))?$/.exec(bare) ?? /^(?:no|nr)\.? ?(\d{1,3})$/.exec(plain);
  if (number) return options[Number(number[1]) - 1];
  return bare === 'last' ? options.at(-1) : options[placeOf(bare)];
}

/** Index (from 0) for an ordinal or number word; -1 for other words. */
function placeOf(word: string): number {
  return Math.max(ORDINALS.indexOf(word), NUMBERS.indexOf(word));
}

/** Whether an ordinal such as "first" also begins the label of another option. */
function isEither(word: string, options: readonly Option[]): boolean {
  const place = placeOf(word);
  return place >= 0 && options.some(({ label }, at) => at !== place && beginsWith(label, word));
}

/** Whether a label begins with these words, whole. */
function beginsWith(label: string, words: string): boolean {
  const plain = plainAnswer(label);
  return plain.startsWith(words) && !/^[\p{L}\p{N}']/u.test(plain.slice(words.length));
}

function readAgreement(agreed: boolean, options: readonly Option[]): Option | undefined {
  const find = (value: boolean, label: string): Option | undefined =>
    options.find((option) => option.value === value || plainAnswer(option.label) === label);
  const [yes, no] = [find(true, 'yes'), find(false, 'no')];
  return yes && no && (agreed ? yes : no);
}

const MAX_WORDS_OF_A_TEXT = 12;

/**
 * The value of the schema that the whole text is; undefined if it says more or something else. For type `string`
 * it must read as a value, not as a request. Source: R-003-05; docs/choosing.md#deciding.
 */
function readSlot(text: string, schema: JsonObject, check: CheckValue): Json | undefined {
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
  const words = wordCount(text);
  // Patterns may match a part; a text of several words must match as a whole.
  const isWhole = attempt(() => new RegExp(`^(?:${schema.pattern})$`, 'u').test(text), false);
  if (isNarrow) return words === 1 || (schema.pattern !== undefined && isWhole && !saysMore(text));
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

function unquoted(text: string): string {
  return /^(["'`])((?:(?!\1).)*)\1$/s.exec(text)?.[2] ?? text;
}

function parsed(text: string): Json | undefined {
  return /^[[{]/.test(text) ? attempt(() => readInput(text, { what: 'It' })) : undefined;
}
