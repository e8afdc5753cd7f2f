/**
 * Text that people or programs wrote, made safe for a terminal: no control characters, and every line after the first
 * as far in as the first one, so that no line of it can be mistaken for one of ours.
 */
export function plainText(text: string, indent = ''): string {
  const lines = text.replaceAll(/\r\n?/g, '\n').trimEnd().split('\n');
  return lines
    .map((line) => line.replaceAll('\t', '  ').replaceAll(/\p{Cc}|\p{Bidi_Control}/gu, '\ufffd'))
    .join(`\n${indent}`);
}

/** A text on one line, made safe as by {@link plainText}. */
export function oneLine(text: string): string {
  return plainText(text.trim().replaceAll(/\s*[\r\n]+\s*/g, ' '));
}

/** The first line of a text, as {@link plainText} gives it. */
export function firstLine(text: string): string {
  return plainText(text.trim().split('\n', 1)[0] ?? '');
}

/** A moment as people read it: to the second. */
export function atSecond(iso: string): string {
  return iso.replace(/\.\d+Z$/, 'Z');
}
