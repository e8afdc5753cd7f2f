export interface DocumentLine {
  text: string;
  /** `\n`, `\r\n`, `\r`, or nothing at the end of the file. */
  end: string;
}

/** Splits a text into lines, from which {@link textOf} restores the very same text. */
export function linesOf(text: string): DocumentLine[] {
  const lines: DocumentLine[] = [];
  let from = 0;
  for (const match of text.matchAll(/\r\n|\n|\r/g)) {
    lines.push({ text: text.slice(from, match.index), end: match[0] });
    from = match.index + match[0].length;
  }
  if (from < text.length) lines.push({ text: text.slice(from), end: '' });
  return lines;
}

export function textOf(lines: readonly DocumentLine[]): string {
  return lines.map(({ text, end }) => text + end).join('');
}

/** The most frequent line ending; `\n` if the document has none. */
export function usualEnd(lines: readonly DocumentLine[]): string {
  const counts = new Map<string, number>();
  for (const { end } of lines) if (end !== '') counts.set(end, (counts.get(end) ?? 0) + 1);
  const [commonest] = [...counts].sort(([, a], [, b]) => b - a);
  return commonest?.[0] ?? '\n';
}
