/** Lines of a first comment that say nothing about what a script does. */
const BESIDE =
  /^(authors?\b|date\b|version\b|created|updated|modified|last (edit|modified|updated)|todo|shellcheck|eslint|pylint|noqa|vim:|@|https?:|usage|file(name)?\b|script( name)?:|title\b|notes?\b|bash_version|use strict|set -)/i;

/** From here on a comment is about who may use the script. */
const RIGHTS =
  /^(copyright|\(c\)|licen[sc]e|spdx|all rights|permission is|redistribution|the \w+ license|this (program|script|file|software) is (free|distributed|licensed))/i;

/**
 * What a script says of itself in the first comment or text at its beginning: the first line that is about what it does.
 *
 * @param name of the file, which a line may repeat in front.
 */
export function summaryOf(code: string, name = ''): string | undefined {
  let until: string | undefined;
  let isAboutRights = false;
  for (const line of code.split(/\r?\n/)) {
    const text = line.trim();
    if (text === '') isAboutRights &&= until !== undefined;
    if (text === '' || text.startsWith('#!') || /-\*-|^# *(coding|vim)\b/.test(text)) continue;
    const opened: string | undefined = until === undefined ? /^[rbu]?("""|'''|\/\*)/i.exec(text)?.[1] : undefined;
    const isComment = until !== undefined || opened !== undefined || /^(#|\/\/)/.test(text);
    if (!isComment) {
      if (/^(['"]use strict['"];?|set -.*|"use strict";?)$/.test(text)) continue;
      return undefined;
    }
    if (opened !== undefined) isAboutRights = false;
    if (opened !== undefined) until = opened === '/*' ? '*/' : opened;
    const said = text
      .replace(/^([rbu]?("""|''')|#+|\/\/+|\/\*+|\*+(?!\/))\s*/i, '')
      .replace(/\s*(\*\/|"""|''')$/, '')
      .trim();
    const closing =
      until !== undefined && (opened === undefined ? text : text.slice(3)).includes(until) ? until : undefined;
    if (closing !== undefined) until = undefined;
    isAboutRights ||= RIGHTS.test(said);
    const told = withoutName(said, name);
    if (!isAboutRights && /\p{L}{2}/u.test(told) && !BESIDE.test(told) && told.toLowerCase() !== name.toLowerCase())
      return told.slice(0, 200);
  }
  return undefined;
}

/** `dump.sh - Dumps it`, `NAME: dump.sh`, `Description: Dumps it`. */
function withoutName(said: string, name: string): string {
  const plain = said.replace(/^(description|purpose|summary|synopsis|about)\s*[:\-–—]\s*/i, '');
  const stem = name.replace(/\.[^.]+$/, '');
  for (const known of [name, stem]) {
    if (known === '' || !plain.toLowerCase().startsWith(known.toLowerCase())) continue;
    const rest = plain.slice(known.length);
    const [mark] = /^\s*(?:--|[:\-–—=])+\s*/.exec(rest) ?? [];
    if (mark !== undefined) return rest.slice(mark.length);
    if (rest.trim() === '') return '';
  }
  return plain;
}
