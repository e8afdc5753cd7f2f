/** Characters that control or reverse the display or are invisible; not line feeds, tabs, emoji selectors. */
const UNSEEN =
  /(?<!\p{Extended_Pictographic})[\ufe0e\ufe0f]|(?![\n\t]|[\ufe0e\ufe0f])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Texts without unseen characters; a quick test that covers most texts. */
const PLAIN = /^[\n\t -~]*$/;

/** Characters special to Markdown; inside a word, `_` is none. */
const MARKUP = /[\\`*[\]<>#|&~$]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;

/** Writes them as JSON escapes, such as `\u202e`, so that JSON keeps its meaning. */
export function showUnseenCharacters(text: string): string {
  return PLAIN.test(text) ? text : text.replaceAll(UNSEEN, escapeUnits);
}

/** A text as one line: line breaks and tabs become blanks, unseen characters become visible. */
export function oneLine(text: string): string {
  // Matches whole runs of blanks: searching breaks inside runs takes quadratic time.
  const line = text.trim().replaceAll(/\s+/g, (blanks) => (/[\n\r\t]/.test(blanks) ? ' ' : blanks));
  return showUnseenCharacters(line);
}

/** Escapes a text for one line of Markdown, so that none of it is markup. */
export function markdownLine(text: string): string {
  return oneLine(text).replaceAll(MARKUP, '\\$&');
}

/** A text as inline code of Markdown, also for cells of tables. */
export function markdownCode(text: string): string {
  return `\`${oneLine(text).replaceAll('`', "'").replaceAll('|', '\\|')}\``;
}

/** For texts that Slack reads as markup: prevents one from mentioning everybody or linking elsewhere. */
export function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The first characters of a text; never splits a surrogate pair. */
export function startOf(text: string, max: number): string {
  return text.slice(0, max).replace(/[\ud800-\udbff]$/, '');
}

/** Each UTF-16 unit as a JSON escape. */
export function escapeUnits(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    return `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
  }).join('');
}

/** Such as `users.create v3`; only the id where the version is not known, as of a request that was refused. */
export function versionedName(ability: string, version: string | number): string {
  return version === '' ? ability : `${ability} v${version}`;
}
