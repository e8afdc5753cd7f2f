import type { Json } from '../../contracts/json.js';

/** An option that may be chosen. */
export interface Option {
  value: Json;
  label: string;
}

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];
/** Words beside a choice that change nothing about it. */
const AROUND =
  /^(?:(?:ok|okay|please|pls|i|choose|take|pick|want|would like|go with|let's|lets|do|use|the|option|number|no|nr|choice|answer|is|it's|its|#)\b[\s.:#-]*)+/i;
const AGREED = new Set([
  'y',
  'yes',
  'yep',
  'yeah',
  'sure',
  'ok',
  'okay',
  'go',
  'go ahead',
  'do it',
  'confirm',
  'confirmed',
  'agreed',
  'ja',
  'oui',
  'si',
]);
const REFUSED = new Set([
  'n',
  'no',
  'nope',
  'nah',
  'stop',
  'cancel',
  'abort',
  'nein',
  'non',
  "don't",
  'dont',
  'do not',
]);

/**
 * Which of its options a text chooses, where it is nothing but that: a number, an ordinal, a label, or the beginning of one label alone.
 * Undefined where it chooses none, or where it may be several. Source: R-003-04; exact shapes, section 3.
 */
export function readSelection(text: string, options: readonly Option[]): Option | undefined {
  const plain = normal(text);
  if (plain === '') return undefined;
  const exact = options.filter(({ label, value }) => normal(label) === plain || normal(String(value)) === plain);
  if (exact.length > 0) return only(exact);
  const agreement = readAgreement(plain, options);
  if (agreement) return agreement;
  const bare = plain
    .replace(AROUND, '')
    .replace(/\s+(?:one|option|please|pls|thanks)$/, '')
    .trim();
  return byPlace(bare, plain, options) ?? byLabel(bare, options);
}

function byPlace(bare: string, plain: string, options: readonly Option[]): Option | undefined {
  // Among "3 days" and "1 day" a number is no place.
  if (/^\d/.test(bare) && options.some(({ label }) => /^\d/.test(normal(label)))) return undefined;
  const number = /^#?(\d{1,3})(?:st|nd|rd|th|\.|\))?$/.exec(bare) ?? /^(?:no|nr)\.? ?(\d{1,3})$/.exec(plain);
  if (number) return options[Number(number[1]) - 1];
  const ordinal = ORDINALS.indexOf(bare);
  if (ordinal >= 0) return options[ordinal];
  return bare === 'last' && options.length > 0 ? options.at(-1) : undefined;
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

/** Yes and no in the words people use, where these are what can be chosen. */
function readAgreement(plain: string, options: readonly Option[]): Option | undefined {
  const find = (value: boolean, label: string): Option | undefined =>
    options.find((option) => option.value === value || normal(option.label) === label);
  const [yes, no] = [find(true, 'yes'), find(false, 'no')];
  if (!yes || !no) return undefined;
  if (AGREED.has(plain)) return yes;
  return REFUSED.has(plain) ? no : undefined;
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

/** Whether a text is nothing but consent (true) or refusal (false); undefined: it is neither. */
export function isConsent(text: string): boolean | undefined {
  const plain = normal(text);
  const bare = plain.replace(/,? (?:please|pls|thanks|thank you)$/, '');
  if (
    AGREED.has(bare) ||
    /^(?:(?:yes|yeah|ok|okay|sure|please)\W+)?(?:please )?(?:try|retry|do it|go|run it) ?(?:it )?(?:again|once more|ahead)?$/.test(
      bare,
    )
  )
    return true;
  return REFUSED.has(bare) ? false : undefined;
}
