/** Splits abilities and requests into words, in the same way. */
import { distance } from 'fastest-levenshtein';
import { stemmer } from 'stemmer';
import { memoizeText } from '../text/memoize.js';

/**
 * Grammar words and words of any request ("could you please help me find ..."). Lower case, without apostrophes.
 * They count less, but are kept: among examples they distinguish "how do I" from "what is my".
 */
export const STOP_WORDS =
  setOf(`a an the this that these those some any all each every both either neither no not nor so such same own other another one ones
  more most much many few less least
  i me my mine myself we us our ours ourselves you your yours yourself he him his she her hers it its itself they them their theirs
  who whom whose which what where when why how
  am is are was were be been being do does did doing done have has had having
  will would shall should can could may might must ought cannot cant couldnt dont doesnt didnt isnt arent wasnt wont wouldnt
  im ive id ill youre theres thats whats lets
  and or but if then else than as at by for from in into of off on onto out over to up with within without about above across after
  against along among around before behind below beside between beyond down during except inside near since through throughout till
  toward towards under until upon via per
  there here now just also too very really only even still yet again ever already however therefore
  please hi hello hey thanks thank help helps helping assist assistance want wants wanted need needs needed like
  look looking try trying let know knows tell give gives get gets getting got make makes making take takes go going
  provide provides provided show use uses used using able possible way ways
  thing things something anything everything someone anyone`);

/** Weight is limited: among ten abilities each would look rare, but says little. Lower case, one form each. */
const COMMON_WORDS = setOf(`ask answer question explain describe discuss suggest recommend advice idea tip example
  write read say word text list name number
  run start begin stop check see view find search watch learn understand think plan choose pick
  create build add put set change update edit keep save send receive open close turn work play
  new best good better great nice easy quick quickly simple specific different similar certain current currently latest recent today
  information info detail data result list type kind part time day week month year people person place world`);

export function setOf(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/));
}

export interface Word {
  /** In lower case, without apostrophes. */
  text: string;
  stem: string;
  kind: 'content' | 'common' | 'stop' | 'number';
}

/** Also splits `db.write.user_row`, `getUserByID`, `sha256`; Chinese, Japanese, Thai: pairs of letters. */
export function wordTexts(text: string): string[] {
  const plain = text
    .normalize('NFKC')
    .replace(/['’]/g, '')
    .replace(BEFORE_CAPITAL, '$1 $2')
    .replace(IN_CAPITALS, '$1 $2')
    .toLowerCase();
  return (plain.match(RUN) ?? []).flatMap((run) => (UNSPACED.test(run) ? pairsOf(run) : [run]));
}

/** Porter's stem of an English word; other words stay as they are. Stems are only compared, never shown. */
export function stemOf(word: string): string {
  return /^[a-z]{3,}$/.test(word) ? stemmer(word) : word;
}

/** {@link wordTexts} with stems and kinds; a compound such as `GitHub` or `sign-up` follows its parts. */
export function wordsIn(text: string): readonly Word[] {
  return text.length > MAX_KEPT_LENGTH ? readWords(text) : keptWords(text);
}

/** Texts of abilities are read with each request, and words of any text again and again. */
const keptWords = memoizeText(20_000, readWords);

function readWords(text: string): readonly Word[] {
  const plain = text.normalize('NFKC').replace(/['’]/g, '');
  return (plain.match(CHUNK) ?? []).flatMap((chunk) => {
    const parts = wordTexts(chunk);
    const isName = parts.length > 1 && !UNSPACED.test(chunk);
    return [...parts, ...(isName ? [chunk.replaceAll('-', '').toLowerCase()] : [])].map(wordOf);
  });
}

/** Names and values: capitalised inside of a sentence, or with a digit. In lower case. */
export function namesIn(text: string): ReadonlySet<string> {
  return new Set((text.match(NAME) ?? []).flatMap(wordTexts));
}

/** The stems of the words of these kinds. */
export function stemsIn(text: string, ...kinds: Word['kind'][]): ReadonlySet<string> {
  const words = wordsIn(text).filter(({ kind }) => kinds.includes(kind));
  return new Set(words.map(({ stem }) => stem));
}

/** Whether two texts have a word of these kinds in common. */
export function shareWord(one: string, other: string, ...kinds: Word['kind'][]): boolean {
  const stems = stemsIn(other, ...kinds);
  return [...stemsIn(one, ...kinds)].some((stem) => stems.has(stem));
}

/** The number of words between blanks. */
export function wordCount(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}

/** Joins each pair of neighbours: `sign up` also yields `signup`. */
export function joinedNeighbours(words: readonly Word[]): Word[] {
  return words.slice(1).map((word, at) => wordOf(`${words[at]?.text ?? ''}${word.text}`));
}

/** Longer texts are rarely the same again. Characters. */
const MAX_KEPT_LENGTH = 5000;
const BEFORE_CAPITAL = /(\p{Ll}|\p{N})(\p{Lu})/gu;
const IN_CAPITALS = /(\p{Lu})(\p{Lu}\p{Ll})/gu;
const CHUNK = /[\p{L}\p{M}\p{N}]+(?:-[\p{L}\p{M}\p{N}]+)*/gu;
const NAME = /(?<=[^.!?:\s]\s+["'(]*)\p{Lu}[\p{L}\p{M}\p{N}]*|[\p{L}\p{M}]*\p{N}[\p{L}\p{M}\p{N}]*/gu;
const RUN = /[\p{L}\p{M}]+|\p{N}+/gu;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

function pairsOf(run: string): string[] {
  const letters = [...run];
  return letters.length < 2 ? letters : letters.slice(1).map((letter, at) => `${letters[at]}${letter}`);
}

const wordOf = memoizeText(50_000, (text): Word => {
  const stem = stemOf(text);
  if (STOP_WORDS.has(text)) return { text, stem, kind: 'stop' };
  if (/^\p{N}+$/u.test(text)) return { text, stem, kind: 'number' };
  return { text, stem, kind: COMMON_STEMS.has(stem) ? 'common' : 'content' };
});

const COMMON_STEMS: ReadonlySet<string> = new Set([...COMMON_WORDS].map(stemOf));

/** Those that a text has as whole, adjacent words in any case; a plural s is ignored. `prod` is not in `product`. Source: C-40. */
export function findPhrases(phrases: readonly string[], words: readonly string[]): string[] {
  return phrases.filter((phrase) => occurs(wordTexts(phrase), words));
}

function occurs(wanted: readonly string[], words: readonly string[]): boolean {
  return wanted.length > 0 && words.some((_, from) => wanted.every((word, at) => isSame(word, words[from + at])));
}

/** Ignores a plural s, except for short words: `new` is not `news`. */
function isSame(one: string, other: string | undefined): boolean {
  if (other === undefined) return false;
  return one === other || (Math.min(one.length, other.length) > 3 && (`${one}s` === other || one === `${other}s`));
}

/**
 * Corrects swapped, missing and extra letters; not replaced ones, which often make a word ("white", "write").
 * @param known the words that may be meant, of five letters or more, in lower case.
 */
export function correctTypos(text: string, known: ReadonlySet<string>): string {
  return text.replaceAll(/[a-z]{5,}/gi, (word) => {
    const plain = word.toLowerCase();
    if (known.has(plain)) return word;
    const meant = [...known].filter((one) => isTypoOf(plain, one, 6));
    return meant.length === 1 ? (meant[0] ?? word) : word;
  });
}

/** Whether two letters were swapped, or one is missing or too many. */
export function isTypoOf(typed: string, meant: string, shortest = 5): boolean {
  if (typed[0] !== meant[0]) return false;
  if (typed.length === meant.length) {
    const [letters, others] = [typed, meant].map((word) => [...word].sort().join(''));
    return letters === others && distance(typed, meant) <= 2;
  }
  // Short words that lack a letter are often other words ("crate", "tiles"), and a plural is no typo.
  if (Math.min(typed.length, meant.length) < shortest || typed.startsWith(meant) || meant.startsWith(typed))
    return false;
  return Math.abs(typed.length - meant.length) === 1 && distance(typed, meant) === 1;
}
