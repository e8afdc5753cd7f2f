/**
 * Text of a document as people will read it: one line, without characters that act on a terminal or hide.
 *
 * @param most characters; longer text ends in `...`.
 */
export function cleanText(text: string, most: number): string {
  const plain = text
    .replaceAll(/[\s\u0085]+/gu, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/gu, '')
    .trim();
  if (plain.length <= most) return plain;
  // A character outside the basic plane has two halves, which belong together.
  const cut = plain.slice(0, most - 3).replace(/[\uD800-\uDBFF]$/, '');
  return `${cut.trimEnd()}...`;
}
