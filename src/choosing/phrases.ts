import { wordTexts } from './words.js';

/** A keyword of one word or several. */
export interface Phrase {
  /** As its author wrote it. */
  text: string;
  words: string[];
}

/** Keywords as they are looked for; those without a letter or digit are none. */
export function phrasesOf(keywords: readonly string[]): Phrase[] {
  return keywords.map((text) => ({ text, words: wordTexts(text) })).filter(({ words }) => words.length > 0);
}

/**
 * The keywords that occur in a text as whole words next to each other, whatever their case; a plural s makes no difference.
 * `prod` is not found in `product`. Source: C-40.
 *
 * @param words as `wordTexts` splits them.
 */
export function findPhrases(phrases: readonly Phrase[], words: readonly string[]): string[] {
  return phrases.filter((phrase) => occurs(phrase.words, words)).map(({ text }) => text);
}

function occurs(wanted: readonly string[], words: readonly string[]): boolean {
  return words.some((_, from) => wanted.every((word, at) => isSame(word, words[from + at])));
}

/** Short words are left as they are: `new` is not `news`, `s` not `ss`. */
function isSame(one: string, other: string | undefined): boolean {
  if (other === undefined) return false;
  return one === other || (Math.min(one.length, other.length) > 3 && (`${one}s` === other || one === `${other}s`));
}
