/** How texts become words, the same for abilities and for requests. */
import { stemOf } from './stem.js';
import { COMMON_WORDS, STOP_WORDS } from './stop-words.js';

/** A word of a text. */
export interface Word {
  /** In lower case, without apostrophes. */
  text: string;
  /** What it is compared by. */
  stem: string;
  kind: 'content' | 'common' | 'stop' | 'number';
}

/**
 * Splits a text into words. Identifiers fall apart: `db.write.user_row`, `getUserByID` and `sha256` are several words each.
 *
 * Writing without blanks (Chinese, Japanese, Thai) falls into pairs of letters.
 */
export function wordTexts(text: string): string[] {
  return text
    .normalize('NFKC')
    .replace(/['’]/g, '')
    .replace(BEFORE_CAPITAL, '$1 $2')
    .replace(IN_CAPITALS, '$1 $2')
    .toLowerCase()
    .split(NO_WORD)
    .flatMap((run) => run.match(RUN) ?? [])
    .flatMap((run) => (UNSPACED.test(run) ? pairsOf(run) : [run]));
}

/** {@link wordTexts} with what is known of each; a word of several parts, such as `GitHub` or `sign-up`, follows them whole. */
export function wordsIn(text: string): Word[] {
  const plain = text.normalize('NFKC').replace(/['’]/g, '');
  return (plain.match(CHUNK) ?? []).flatMap((chunk) => {
    const parts = wordTexts(chunk);
    const isName = parts.length > 1 && !UNSPACED.test(chunk);
    return [...parts, ...(isName ? [chunk.replaceAll('-', '').toLowerCase()] : [])].map(wordOf);
  });
}

/** The words that two neighbours make together: `sign up` is also `signup`. */
export function joinedNeighbours(words: readonly Word[]): Word[] {
  return words.slice(1).map((word, at) => wordOf(`${words[at]?.text ?? ''}${word.text}`));
}

const BEFORE_CAPITAL = /(\p{Ll}|\p{N})(\p{Lu})/gu;
const IN_CAPITALS = /(\p{Lu})(\p{Lu}\p{Ll})/gu;
const NO_WORD = /[^\p{L}\p{M}\p{N}]+/u;
const CHUNK = /[\p{L}\p{M}\p{N}]+(?:-[\p{L}\p{M}\p{N}]+)*/gu;
const RUN = /[\p{L}\p{M}]+|\p{N}+/gu;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

function pairsOf(run: string): string[] {
  const letters = [...run];
  return letters.length < 2 ? letters : letters.slice(1).map((letter, at) => `${letters[at]}${letter}`);
}

/** Each word is looked at once; all is forgotten when it is too much. */
const known = new Map<string, Word>();
const MOST_KNOWN = 50_000;

function wordOf(text: string): Word {
  const before = known.get(text);
  if (before) return before;
  if (known.size >= MOST_KNOWN) known.clear();
  const stem = stemOf(text);
  const word: Word = { text, stem, kind: kindOf(text, stem) };
  known.set(text, word);
  return word;
}

function kindOf(text: string, stem: string): Word['kind'] {
  if (STOP_WORDS.has(text)) return 'stop';
  if (/^\p{N}+$/u.test(text)) return 'number';
  return COMMON_STEMS.has(stem) ? 'common' : 'content';
}

const COMMON_STEMS: ReadonlySet<string> = new Set([...COMMON_WORDS].map(stemOf));
