import { showUnseenCharacters } from '../../../rules/shown-text.js';

/** Makes unseen characters visible, and indents every line but the first, so that none looks like our own. */
export function plainText(text: string, indent = '    '): string {
  const lines = text.replaceAll(/\r\n?/g, '\n').trimEnd().split('\n');
  return lines.map((line) => showUnseenCharacters(line.replaceAll('\t', '  '))).join(`\n${indent}`);
}

/** Such as `1 file` and `2 files`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** A text of at most so many characters, and dots where it goes on. */
export function cut(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max)}...` : text;
}

/** The first line of a text, as {@link plainText} gives it. */
export function firstLine(text: string): string {
  return plainText(text.trim().split('\n', 1)[0] ?? '');
}
