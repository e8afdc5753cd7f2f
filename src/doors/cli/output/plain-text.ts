import { showUnseenCharacters } from '../../../rules/shown-text.js';

/**
 * Text that people or programs wrote, made safe for a terminal: what steers it or is not seen is shown, and every line
 * after the first is as far in as the first one, so that no line of it can be mistaken for one of ours.
 */
export function plainText(text: string, indent = '    '): string {
  const lines = text.replaceAll(/\r\n?/g, '\n').trimEnd().split('\n');
  return lines.map((line) => showUnseenCharacters(line.replaceAll('\t', '  '))).join(`\n${indent}`);
}

/** A number with its noun, as `1 file` and `2 files`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** The first line of a text, as {@link plainText} gives it. */
export function firstLine(text: string): string {
  return plainText(text.trim().split('\n', 1)[0] ?? '');
}
