import type { Json } from '../../contracts/json.js';
import { agreesTo } from './consent.js';

export interface Option {
  value: Json;
  label: string;
}

const NUMBERS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];
const AROUND =
  /^(?:(?:ok|okay|please|pls|i|choose|take|pick|want|would like|go with|let's|lets|do|use|the|option|number|(?:no|nr)(?=[\s.:#]*\d)|choice|answer|is|it's|its|#)\b[\s.:#-]*)+/i;
/** Whole text: number, ordinal, label or unique beginning. Source: R-003-04; docs/choosing.md#deciding. */
export function readSelection(text: string, options: readonly Option[]): Option | undefined {
  const plain = normal(text);
  if (plain === '') return undefined;
  const exact = options.filter(({ label, value }) => normal(label) === plain || normal(String(value)) === plain);
  if (exact.length > 0) return only(exact);
  // "yes" does not select "Yesterday", but "cancel" selects "Cancel the order".
  const agreed = agreesTo(text);
  if (agreed !== undefined)
    return only(options.filter(({ label }) => beginsWith(label, plain))) ?? readAgreement(agreed, options);
  const bare = plain
    .replace(AROUND, '')
    .replace(/\s+(?:one|option|please|pls|thanks)$/, '')
    .trim();
  return isEither(bare, options) ? undefined : (byPlace(bare, plain, options) ?? byLabel(bare, options));
}

function byPlace(bare: string, plain: string, options: readonly Option[]): Option | undefined {
  // Among "3 days" and "1 day" a number is not a position.
  if (/^\d/.test(bare) && options.some(({ label }) => /^\d/.test(normal(label)))) return undefined;
  const number = /^#?(\d{1,3})(?:st|nd|rd|th|\.|\))?$/.exec(bare) ?? /^(?:no|nr)\.? ?(\d{1,3})$/.exec(plain);
  if (number) return options[Number(number[1]) - 1];
  const place = placeOf(bare);
  if (place !== undefined) return options[place];
  return bare === 'last' && options.length > 0 ? options.at(-1) : undefined;
}

/** Index (from 0) for an ordinal or number word. */
function placeOf(word: string): number | undefined {
  return [ORDINALS, NUMBERS].map((words) => words.indexOf(word)).find((at) => at >= 0);
}

/** Whether an ordinal such as "first" also begins the label of another option. */
function isEither(word: string, options: readonly Option[]): boolean {
  const place = placeOf(word);
  return place !== undefined && options.some(({ label }, at) => at !== place && beginsWith(label, word));
}

/** Whether a label begins with these words, whole. */
function beginsWith(label: string, words: string): boolean {
  const plain = normal(label);
  return plain.startsWith(words) && !/^[\p{L}\p{N}']/u.test(plain.slice(words.length));
}

function byLabel(bare: string, options: readonly Option[]): Option | undefined {
  if (bare === '') return undefined;
  const exact = options.filter(({ label, value }) => normal(label) === bare || normal(String(value)) === bare);
  if (exact.length > 0) return only(exact);
  if (bare.length < 2 && !/^\d$/.test(bare)) return undefined;
  return only(
    options.filter(({ label, value }) => normal(label).startsWith(bare) || normal(String(value)).startsWith(bare)),
  );
}

function readAgreement(agreed: boolean, options: readonly Option[]): Option | undefined {
  const find = (value: boolean, label: string): Option | undefined =>
    options.find((option) => option.value === value || normal(option.label) === label);
  const [yes, no] = [find(true, 'yes'), find(false, 'no')];
  if (!yes || !no) return undefined;
  return agreed ? yes : no;
}

function only<T>(found: readonly T[]): T | undefined {
  return found.length === 1 ? found[0] : undefined;
}

function normal(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[“”"'`]/g, (sign) => (sign === "'" ? "'" : ''))
    .replaceAll(/\s+/g, ' ')
    .replace(/^[\s(]+/, '')
    .replace(/[\s).!,]+$/, '')
    .trim();
}
