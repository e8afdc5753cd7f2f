import { showUnseenCharacters } from '../../rules/shown-text.js';

/** A value as a block of JSON in Markdown. */
export function json(value: unknown): string {
  return fence(JSON.stringify(value, null, 2), 'json');
}

/** A block whose fence is longer than any in the text, so that the text cannot close it. */
export function fence(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const mark = '`'.repeat(longest + 1);
  return `${mark}${language}\n${showUnseenCharacters(text)}\n${mark}`;
}
