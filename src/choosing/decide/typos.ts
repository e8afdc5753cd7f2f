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

/** Whether letters were swapped, or one is missing or too many. */
export function isTypoOf(typed: string, meant: string, shortest = 5): boolean {
  if (typed[0] !== meant[0]) return false;
  if (typed.length === meant.length) return isSwapped(typed, meant);
  // Short words that lack a letter are often other words: "crate", "tiles".
  if (Math.min(typed.length, meant.length) < shortest || Math.abs(typed.length - meant.length) !== 1) return false;
  const [longer, shorter] = typed.length > meant.length ? [typed, meant] : [meant, typed];
  const at = differsAt(longer, shorter);
  // A plural is no typo.
  return at < longer.length - 1 && longer.slice(at + 1) === shorter.slice(at);
}

function isSwapped(one: string, other: string): boolean {
  const at = differsAt(one, other);
  return one[at] === other[at + 1] && one[at + 1] === other[at] && one.slice(at + 2) === other.slice(at + 2);
}

function differsAt(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}
