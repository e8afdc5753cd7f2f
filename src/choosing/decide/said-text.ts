import { wordCount } from '../words.js';

/** The user's own words, without quoted, pasted or fenced text, which is data and no request. */
export function saidIn(text: string): string {
  return withoutLongPaste(withoutForwarded(text.replaceAll(/[^\S\n]{9,}/g, '        ').replaceAll(/\n{3,}/g, '\n\n')))
    .replaceAll(TAGGED, ' ')
    .replace(/^[ \t]*(```|~~~)[\s\S]*?(?:^[ \t]*\1[ \t]*$|(?![\s\S]))/gm, '\n')
    .replace(/`[^`\n]*`/g, (code) => (/^`[\w.-]+`$/.test(code) ? code.slice(1, -1) : ' '))
    .split('\n')
    .filter((line) => !PASTED.test(line))
    .map((line) => line.replace(/[{[]\s*["{[].*[}\]]/, ' ').replace(TEXT_AFTER, '$1'))
    .join('\n')
    .replaceAll(QUOTED, (quoted) => (quoted.split(/\s+/).length > 3 || quoted.includes('\n') ? ' ' : quoted));
}
/** A quoted name or value is part of the request; a quoted sentence is what someone else says. */
const QUOTED = /“[^“”]*”|«[^«»]*»|„[^„“”]*[“”]|(?<=^|\s)"[^"]*"(?=\W|$)/g;

/** Lines of quotations, logs, shells, diffs, chats, comments and stack traces. */
const PASTED = new RegExp(
  `^\\s*(?:${[
    '>|at \\S+ ?\\(|\\[?\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:|\\[?(?:ERROR|WARN|INFO|DEBUG|TRACE)\\b',
    '\\$ |(?:[A-Z]\\w*)?(?:Error|Exception):|Traceback\\b|@@|(?:\\+\\+\\+|---)\\s|//|\\[\\d{1,2}:\\d\\d',
    '(?:\\*\\*)?(?:[Uu]ser|USER|[Hh]uman|[Aa]ssistant|ASSISTANT|AI|[Ss]ystem|SYSTEM|[Tt]ool|[Bb]ot)(?:\\*\\*)?\\s*:',
  ].join('|')})`,
);
/** Text of several words within tags. */
const TAGGED = /<([a-z][\w-]*)[^>\n]*>(?:\s*[^\s<]+){4,}?\s*<\/\1>/gi;
/** "translate this: ...", "she wrote: ...": what follows is data, not a request. */
const TEXT_AFTER =
  /^(\W*(?:[\w']+\s+){0,4}?(?:translate|summari[sz]e|proofread|spell-?check|correct|explain|paraphrase|shorten)\b[^:\n]{0,80}:|.{0,120}\b(?:wrote|writes|says|said|replied|answered|reads|states)\s*:)\s.*$/i;

const FORWARDED = new RegExp(
  [
    '^[ \\t]*-{2,}\\s*(?:original message|forwarded message|ursprüngliche nachricht|message d.origine)',
    '^begin forwarded message:',
    '^(?:on|am|le|el) .{4,120}(?:wrote|schrieb|a écrit|escribió)[^\\n]{0,60}:[ \\t]*$',
    '^(?:from|von|de): .*\\n(?:(?:sent|to|subject|date|cc|an|betreff|gesendet|datum): .*(?:\\n|$))+',
  ].join('|'),
  'im',
);

function withoutForwarded(text: string): string {
  const at = text.search(FORWARDED);
  return at < 0 ? text : text.slice(0, at);
}

/** Longer paragraphs count as pasted next to a shorter one of at least four words. */
const MAX_WORDS_TYPED = 120;
const CLOSING = /^\W*(?:thanks?|thank you|thx|cheers|(?:best|kind|warm) (?:regards|wishes)|regards|sincerely|yours)\b/i;

function withoutLongPaste(text: string): string {
  const typed = text.split(/\n\s*\n/).filter((one) => wordCount(one) <= MAX_WORDS_TYPED);
  return typed.some((one) => wordCount(one) >= 4 && !CLOSING.test(one)) ? typed.join('\n\n') : text;
}
