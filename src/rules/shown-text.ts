/**
 * Characters that control the display, reverse it, or are invisible: control characters, marks of writing direction,
 * zero-width ones, separators of lines and paragraphs, tags and other ignorable ones, lone surrogates. Line feeds and
 * tabs are not among them, nor the mark that makes a symbol an emoji.
 */
const UNSEEN =
  /(?<!\p{Extended_Pictographic})[\ufe0e\ufe0f]|(?![\n\t]|[\ufe0e\ufe0f])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Characters of most texts, matched first because it is quick. */
const PLAIN = /^[\n\t -~]*$/;

/** Characters special to Markdown; a `_` inside a word is a letter to it. */
const MARKUP = /[\\`*[\]<>#|&~$]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;

/**
 * Makes every character visible that has an effect but no glyph, such as `\u202e`.
 *
 * Lines and tabs stay. The escapes are those of JSON, so that a JSON text keeps its meaning. Source: docs/approvals.md:
 * a person decides about the actual request.
 */
export function showUnseenCharacters(text: string): string {
  return PLAIN.test(text) ? text : text.replaceAll(UNSEEN, escaped);
}

/** A text as one line, as {@link showUnseenCharacters} shows it: breaks of lines and tabs are blanks. */
export function oneLine(text: string): string {
  // By whole runs of blanks: a pattern that looks for the break inside a run takes the square of its length.
  const line = text.trim().replaceAll(/\s+/g, (blanks) => (/[\n\r\t]/.test(blanks) ? ' ' : blanks));
  return showUnseenCharacters(line);
}

/** A text as one line of Markdown in which none of it is markup, a link, or the name of another character. */
export function markdownLine(text: string): string {
  return oneLine(text).replaceAll(MARKUP, '\\$&');
}

/** A text as code inside a line of Markdown, also in a cell of a table. */
export function markdownCode(text: string): string {
  return `\`${oneLine(text).replaceAll('`', "'").replaceAll('|', '\\|')}\``;
}

/** The start of a text, which is never cut within a character. */
export function startOf(text: string, most: number): string {
  return text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
}

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    return `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
  }).join('');
}
