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

/** Words of consent, refusal and politeness; in lower case, without accents. */
const YES =
  'y|yes|yep|yup|yeah|yea|ya|sure|ok|okay|go|go ahead|go for it|do it|do so|confirm|confirmed|agreed|absolutely|definitely|of course|ja|jawohl|oui|si|da';
const NO =
  "n|no|nope|nah|stop|cancel|abort|nein|no+e|non|don't|dont|do not|(?:don't|dont|do not) do (?:it|that|this)|no way|rather not|better not";
const POLITE = 'please|pls|plz|thanks|thank you|thx|ty|bitte|danke|merci|gracias|por favor';
const AGAIN =
  '(?:try|retry|do|run|send) ?(?:it |that |this )?(?:again|once more)|retry(?: it| that)?|again|once more|try|do it|go ahead|run it';

const AGREES = only(YES);
const REFUSES = only(NO);
const RETRIES = only(`${YES}|${AGAIN}`);

/** Matches only these words and polite ones, with at least one of these words. */
function only(words: string): RegExp {
  return new RegExp(`^(?:(?:${POLITE})[ ,.!]+)*(?:${words})(?:[ ,.!]+(?:${words}|${POLITE}))*$`);
}

/** Consent is short; a longer text says something else, and would take long to match. Characters. */
const LONGEST = 60;

/** Whether a text is nothing but consent (true) or refusal (false); undefined: it is neither, or both. */
export function agreesTo(text: string, consent = AGREES): boolean | undefined {
  if (text.trim().length > LONGEST) return undefined;
  const plain = plainAnswer(text);
  if (consent.test(plain)) return true;
  return REFUSES.test(plain) ? false : undefined;
}

/** As {@link agreesTo}, for an offered retry: also "try again". */
export function isConsent(text: string): boolean | undefined {
  return agreesTo(text, RETRIES);
}

/** For comparing answers: in lower case, without accents, quotation marks, brackets around it and signs at its end. */
export function plainAnswer(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('’', "'")
    .replaceAll(/[“”"`]/g, '')
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/^[\s(]+|[\s).!,]+$/g, '');
}
