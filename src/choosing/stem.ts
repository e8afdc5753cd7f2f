/**
 * Porter's algorithm, unchanged: M. F. Porter, "An algorithm for suffix stripping" (1980). `converts` and
 * `conversion` get nearly the same stem. Other text stays as it is, or gets a little shorter; stems are only
 * compared, never shown.
 */
export function stemOf(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  // A leading y is a consonant; no rule takes Y for a vowel.
  const marked = word.startsWith('y') ? `Y${word.slice(1)}` : word;
  const shorn = [stripPlural, stripPast, turnY, stripDouble, stripThird, stripFourth, stripEnd].reduce(
    (stem, step) => step(stem),
    marked,
  );
  return shorn.toLowerCase();
}

const CONSONANTS = '[^aeiou][^aeiouy]*';
const VOWELS = '[aeiouy][aeiou]*';
/** Tests of Porter's measure: the number of vowel groups that consonants follow. */
const OVER_0 = new RegExp(`^(${CONSONANTS})?${VOWELS}${CONSONANTS}`);
const EXACTLY_1 = new RegExp(`^(${CONSONANTS})?${VOWELS}${CONSONANTS}(${VOWELS})?$`);
const OVER_1 = new RegExp(`^(${CONSONANTS})?${VOWELS}${CONSONANTS}${VOWELS}${CONSONANTS}`);
const HAS_VOWEL = new RegExp(`^(${CONSONANTS})?[aeiouy]`);
const ENDS_SHORT = new RegExp(`^${CONSONANTS}[aeiouy][^aeiouwxy]$`);

/** Step 1a. */
function stripPlural(word: string): string {
  if (/(ss|i)es$/.test(word)) return word.slice(0, -2);
  return /[^s]s$/.test(word) ? word.slice(0, -1) : word;
}

/** Step 1b. */
function stripPast(word: string): string {
  if (word.endsWith('eed')) return OVER_0.test(word.slice(0, -3)) ? word.slice(0, -1) : word;
  const stem = /^(.+?)(ed|ing)$/.exec(word)?.[1];
  if (stem === undefined || !HAS_VOWEL.test(stem)) return word;
  if (/(at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (/([^aeiouylsz])\1$/.test(stem)) return stem.slice(0, -1);
  return ENDS_SHORT.test(stem) ? `${stem}e` : stem;
}

/** Step 1c. */
function turnY(word: string): string {
  return word.endsWith('y') && HAS_VOWEL.test(word.slice(0, -1)) ? `${word.slice(0, -1)}i` : word;
}

/** Step 2. */
const DOUBLE: Record<string, string> = {
  ational: 'ate',
  tional: 'tion',
  enci: 'ence',
  anci: 'ance',
  izer: 'ize',
  bli: 'ble',
  alli: 'al',
  entli: 'ent',
  eli: 'e',
  ousli: 'ous',
  ization: 'ize',
  ation: 'ate',
  ator: 'ate',
  alism: 'al',
  iveness: 'ive',
  fulness: 'ful',
  ousness: 'ous',
  aliti: 'al',
  iviti: 'ive',
  biliti: 'ble',
  logi: 'log',
};
const stripDouble = replacing(DOUBLE);

/** Step 3. */
const stripThird = replacing({ icate: 'ic', ative: '', alize: 'al', iciti: 'ic', ical: 'ic', ful: '', ness: '' });

/** Step 4. */
const FOURTH = /^(.+?)(al|ance|ence|er|ic|able|ible|ant|ement|ment|ent|(?<=[st])ion|ou|ism|ate|iti|ous|ive|ize)$/;
function stripFourth(word: string): string {
  const stem = FOURTH.exec(word)?.[1];
  return stem !== undefined && OVER_1.test(stem) ? stem : word;
}

/** Step 5. */
function stripEnd(word: string): string {
  let stem = word;
  if (stem.endsWith('e')) {
    const before = stem.slice(0, -1);
    if (OVER_1.test(before) || (EXACTLY_1.test(before) && !ENDS_SHORT.test(before))) stem = before;
  }
  return stem.endsWith('ll') && OVER_1.test(stem) ? stem.slice(0, -1) : stem;
}

/** Replaces the longest matching ending if the stem before it has a measure above 0. */
function replacing(table: Record<string, string>): (word: string) => string {
  const endings = new RegExp(`^(.+?)(${Object.keys(table).join('|')})$`);
  return (word) => {
    const [, stem, ending] = endings.exec(word) ?? [];
    return stem !== undefined && ending !== undefined && OVER_0.test(stem) ? stem + table[ending] : word;
  };
}
