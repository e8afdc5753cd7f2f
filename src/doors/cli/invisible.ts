/**
 * Characters that steer a terminal or change how text beside them reads: control characters but for newline and tab, and
 * marks of writing direction.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must go
const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A text without what would steer a terminal, as it may come from inputs, services and definitions. */
export function stripInvisible(text: string): string {
  return text.replaceAll(INVISIBLE, '');
}

/** A JSON text in which the same is escaped, so that it can be looked at and means what it meant. */
export function escapeInvisible(json: string): string {
  return json.replaceAll(INVISIBLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
