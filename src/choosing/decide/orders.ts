import { asks } from '../request-of.js';
import { isVerb } from './action.js';
import { isAbout } from './signals.js';

/** "I wonder how to ...": a wish to know, not a request. */
const TO_KNOW =
  /\b(?:wonder(?:ing|ed)?|curious|know|understand|idea|explain|remember|learn|tell me|unsure|not sure|confused)\b[^.!?]{0,30}?\b(?:how|why|what|when|where|who|whether|if)\b/i;
/** A sentence with a need is not mere news. */
const NEEDED = /\b(?:needs?|should|must|please|pls|plz|have to|has to|want|wants)\b/i;
const OPENING = '^\\W*(?:(?:hi|hey|ok|okay|so|and|but|btw|fyi|well|yes|no)\\b\\W*)*';
const DONE =
  '(?:[a-z]{2,}ed|sent|wrote|written|made|paid|bought|did|done|ran|run|took|got|went|gone|built|broke|broken|shut|put|left)';
const SUBJECT = '(?:the|our|my|his|her|their|this|that|a|an)\\s+(?:[\\w-]+\\s+){1,8}?';
const WHO_DID = `(?:i|we|he|she|they|you|it|someone)\\s+(?:(?:already|just|also|have|had|has|then|finally|even)\\s+)*(?:${DONE}|was|were)|[\\w-]+\\s+(?:has|have|had|already|just)\\s+(?:(?:already|just|also|been)\\s+)*${DONE}`;
/** "I deleted it", "Bob has already sent it", "the deploy went fine". */
const NEWS = new RegExp(
  `${OPENING}(?:${WHO_DID}|${SUBJECT}(?:was|were|has|had|wrote|did|ran|took|went|broke|failed))\\b`,
  'i',
);
/** A report, or a noun phrase that looks like one: "the files deleted in May". */
const PERHAPS_NEWS = new RegExp(
  `${OPENING}(?:${WHO_DID}|${SUBJECT}(?:was|were|is|are|has|have|had|fails|${DONE}))\\b`,
  'i',
);

/** Excludes polite phrases from conditions: "if possible", "when you have time". */
const POLITE =
  "(?!\\s+(?:possible|(?:you|u) (?:can|could|may|like|want|have|get|are|don['’]?t mind)|needed|necessary|(?:that|it)['’]?s (?:ok|fine)|not\\b|again|more\\b|convenient|free\\b|lunch\\b))";
const TO_FIND_OUT = '(?<!\\b(?:check|see|ask|know|tell me|wonder|look|find out|test|verify|sure|out|determine)\\s+)';
/** Requests for a case or a time that has not come. */
const IN_A_CASE = new RegExp(
  `(?:(?:^|[.!;\\n]|\\b(?:yes|ok|okay|sure|and|but|then|please|pls|only)\\b)\\W*(?:if|once|as soon as|unless|provided(?: that)?|when(?:ever)?|after)|${TO_FIND_OUT}\\b(?:if|once|as soon as|unless))\\b${POLITE}\\s`,
  'i',
);

/** "I wonder how to delete it": neither a question nor a request. */
const HOW_TO = /\bhow (?:to|(?:do|can|should|could|would|does) (?:i|we|you|one|people|someone))\b/i;

/** Whether a text only reports or wonders; the answer needs no call. Source: R-003-22. */
export function needsNoCall(said: string): boolean {
  const sentences = sentencesOf(said);
  return (
    sentences.length > 0 &&
    sentences.every((one) => isNoOrder(one) && (isNews(one, NEWS) || (!isAbout(one) && HOW_TO.test(one))))
  );
}

/** Only a question, a wish to know, or news: nothing may be changed. Source: R-003-20, R-003-22. */
export function ordersNothing(said: string): boolean {
  const sentences = sentencesOf(said);
  return isAbout(said) || (sentences.length > 0 && sentences.every(isNoOrder));
}

function sentencesOf(said: string): string[] {
  return said.split(/(?<=[.!?;])\s+|\n+/).filter((sentence) => /\p{L}/u.test(sentence));
}

function isNews(sentence: string, news: RegExp): boolean {
  return news.test(sentence) && !NEEDED.test(sentence) && !isAbout(sentence);
}

function isNoOrder(sentence: string): boolean {
  if (isAbout(sentence)) return true;
  if (sentence.split(/[,:]\s+|\s[-–—]\s|\s+(?:and|so|then)\s+/).some(isOrder)) return false;
  return TO_KNOW.test(sentence) || isNews(sentence, PERHAPS_NEWS);
}

function isOrder(clause: string): boolean {
  const [first = ''] = clause.match(/[\p{L}-]+/u) ?? [];
  return isVerb(first) || (asks(clause) && !TO_KNOW.test(clause));
}

/** Whether the request depends on a later case or time, which a person must confirm. Source: R-003-15. */
export function isConditional(said: string): boolean {
  return !isAbout(said) && IN_A_CASE.test(said);
}
