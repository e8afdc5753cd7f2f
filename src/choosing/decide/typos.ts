import { distance } from 'fastest-levenshtein';

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
