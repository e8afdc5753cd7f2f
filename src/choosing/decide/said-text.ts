/** The user's own words, without quoted, pasted or fenced text, which is data and no request. */
export function saidIn(text: string): string {
  return withoutLongPaste(withoutForwarded(text.replaceAll(/[^\S\n]{9,}/g, '        ').replaceAll(/\n{3,}/g, '\n\n')))
    .replaceAll(TAGGED, ' ')
    .replaceAll(OVER_LINES, (quoted) => (quoted.includes('\n') ? ' ' : quoted))
    .replace(/^[ \t]*(```|~~~)[\s\S]*?(?:^[ \t]*\1[ \t]*$|(?![\s\S]))/gm, '\n')
    .replace(/`[^`\n]*`/g, (code) => (ID.test(code.slice(1, -1)) ? code.slice(1, -1) : ' '))
    .split('\n')
    .filter((line) => !PASTED.test(line))
    .map((line) => line.replace(JSON_TEXT, ' ').replace(TEXT_AFTER, '$1'))
    .join('\n')
    .replace(/"([^"\n]*)"|“([^”\n]*)”|«([^»\n]*)»|„([^“”\n]*)[“”]/g, (whole, ...groups) => {
      const said = groups.slice(0, 4).find((group) => typeof group === 'string') ?? '';
      // A quoted name or value is part of the request; a quoted sentence is what someone else says.
      return String(said).trim().split(/\s+/).length <= 3 ? whole : ' ';
    });
}

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
/** Quotations, of which those over several lines are removed. */
const OVER_LINES = /“[^“”]*”|«[^«»]*»|(?<=^|\s)"[^"]*"(?=\W|$)/g;
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

/** Longer paragraphs count as pasted if a shorter one makes a request. */
const MAX_WORDS_TYPED = 120;
const MIN_REQUEST_WORDS = 4;

function withoutLongPaste(text: string): string {
  const paragraphs = text.split(/\n\s*\n/);
  if (paragraphs.length < 2) return text;
  const typed = paragraphs.filter((one) => wordCount(one) <= MAX_WORDS_TYPED);
  const hasRequest = typed.some((one) => wordCount(one) >= MIN_REQUEST_WORDS && !CLOSING.test(one));
  return hasRequest ? typed.join('\n\n') : text;
}

const CLOSING = /^\W*(?:thanks?|thank you|thx|cheers|(?:best|kind|warm) (?:regards|wishes)|regards|sincerely|yours)\b/i;

function wordCount(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}

const JSON_TEXT = /[{[]\s*["{[].*[}\]]/;

/** In backticks, such text is kept as the name of something. */
const ID = /^[\w.-]+$/;

export function isWordless(text: string): boolean {
  return !/[\p{L}\p{N}]/u.test(text);
}
