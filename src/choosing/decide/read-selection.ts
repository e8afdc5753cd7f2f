import type { Json } from '../../contracts/json.js';
import { single } from '../read-inputs.js';
import { agreesTo, plainAnswer } from './consent.js';

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
  const plain = plainAnswer(text);
  const matching = (fits: (name: string) => boolean): Option[] =>
    options.filter(({ label, value }) => [label, String(value)].some((name) => fits(plainAnswer(name))));
  const exact = matching((name) => name === plain);
  if (plain === '' || exact.length > 0) return single(exact);
  // "yes" does not select "Yesterday", but "cancel" selects "Cancel the order".
  const agreed = agreesTo(text);
  if (agreed !== undefined)
    return single(options.filter(({ label }) => beginsWith(label, plain))) ?? readAgreement(agreed, options);
  const bare = plain
    .replace(AROUND, '')
    .replace(/\s+(?:one|option|please|pls|thanks)$/, '')
    .trim();
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
