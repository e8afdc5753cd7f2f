/** What a request needs by its form, whatever it is about. Source: R-003-21, R-003-22; docs/choosing.md#deciding. */
import { correctTypos } from '../words.js';

/** The kind of work that a request needs. */
export interface Signal {
  /** `write`: texts, many of them or a long one; `steps`: several kinds of work. */
  need: 'write' | 'steps';
  rationale: string;
  /** A plan or a workflow is to be made, so consent is needed. Source: R-003-19. */
  isComplex: boolean;
}

/** Joins alternatives separated by spaces; `_` stands for a space. */
function oneOf(words: string): string {
  return `(?:${words.trim().split(/\s+/).join('|').replaceAll('_', '\\s+')})`;
}

const NUMBER =
  oneOf(`\\d{1,4} two three four five six seven eight nine ten twelve fifteen twenty fifty a_hundred a_dozen
  dozens_of a_(?:few|couple|bunch|handful|lot|set|ton)(?:_of)? lots_of several many multiple some various different`);
const VARIANTS =
  oneOf(`version versions variant variants variation variations draft drafts alternative alternatives option
  options takes phrasings rewrites rewordings wordings ways_to_(?:say|word|phrase|write|put) headline headlines title titles
  tagline taglines slogan slogans subject_lines? email emails e-mails? message messages post posts tweets captions paragraphs
  intros openings blurbs poems jokes names ideas_for`);
const MAKE =
  oneOf(`write writing draft drafting compose author produce create creating generate generating prepare design
  automate build brainstorm rewrite reword rephrase word phrase make make_me give_me get_me need want do come_up_with
  put_together work_out type_up set_?up (?:can|could|may)_(?:i|we)_(?:get|have)`);
const DOCUMENT = oneOf(`proposal report essay article blog(?:_post)? letter spec(?:ification)? design_doc(?:ument)?
  white_?paper story speech announcement press_release newsletter outline post-?mortem memo brief pitch cover_letter
  one-?pager rfc documentation`);
const RESEARCH = oneOf(
  'research investigate look_into explore study survey find_out gather collect look_up compare analy[sz]e',
);
const CONCLUDE = oneOf(`compare put summari[sz]e evaluate rank recommend report write draft present contrast analy[sz]e
  choose pick tell_me_which`);
/** Before a number that begins a sentence. */
const LEADING = oneOf('i we please can could you need want and now then ok also like would about how what');
/** Stops at prepositions: "an issue about the report" is not a report. */
const NO_OTHER = '(?!(?:about|of|from|on|with|that|which|into|to|for|my|in)\\b(?!\\s+(?:me|us)\\b))';
/** Up to four words between the parts. */
const FEW = `(?:\\s+${NO_OTHER}[\\w'-]+){0,4}?`;
const NOUN = `\\s+(?:(?:a|an|the|our|my|some|me a|us a|up a)\\s+)?(?:${NO_OTHER}[\\w'-]+\\s+){0,3}?`;
const MANY = `${NUMBER}${FEW}`;

/** The words of the lists, to correct typos. */
const SIGNAL_WORDS: ReadonlySet<string> = new Set(
  [VARIANTS, MAKE, DOCUMENT, RESEARCH, CONCLUDE, 'workflow'].join(' ').match(/[a-z]{5,}/g),
);

/** The strongest first. */
const WAYS = [
  way('write', 'Many variants of a text', `\\b${MAKE}\\b${FEW}\\s+${MANY}\\s+${VARIANTS}\\b`),
  way(
    'write',
    'Many variants of a text',
    `(?:^|[.!?,:;])\\W*(?:${LEADING}\\b\\W*)*${NUMBER}(?:\\s+more)?${FEW}\\s+${VARIANTS}\\b`,
  ),
  way(
    'steps',
    'Several steps: research, and what comes of it',
    `\\b${RESEARCH}\\b[\\s\\S]{0,160}?\\b(?:and|then|,)\\s+(?:then\\s+)?${CONCLUDE}\\b`,
  ),
  way('write', 'A plan is to be made', `\\b${MAKE}\\b${FEW}${NOUN}(?:plan|road\\s?map)\\b`, true),
  way('write', 'A long text is to be written', `\\b${MAKE}\\b${FEW}${NOUN}${DOCUMENT}\\b`),
  way(
    'write',
    'Many variants of a text',
    `\\b(?:in|as)\\s+${MANY}\\s+(?:versions?|variants?|variations?|ways|styles|tones)\\b`,
  ),
  way(
    'steps',
    'A workflow is to be made',
    `\\b${MAKE}\\b(?:\\s+(?:me|us))?${NOUN}(?:workflow|pipeline|automation|runbook)\\b`,
    true,
  ),
];

function way(need: Signal['need'], rationale: string, says: string, isComplex = false): Signal & { says: RegExp } {
  return { need, rationale, isComplex, says: new RegExp(says, 'i') };
}

/** The strongest signal; undefined if none, for a question about it, or for what is not to be done. */
export function signalIn(text: string): Signal | undefined {
  const said = correctTypos(text, SIGNAL_WORDS);
  const isQuestion = QUESTION_ALONE.test(said) && !REQUEST.test(said);
  return isQuestion || NEGATED.test(said) || EXISTING.test(said) ? undefined : WAYS.find(({ says }) => says.test(said));
}

const BEFORE = '^\\W*(?:(?:hey|hi|ok|so|and|but|btw|no|please|pls|quick question)\\b\\W*)*';
const NEGATED = new RegExp(`${BEFORE}(?:do not|don['’]?t|dont|never)\\b`, 'i');
const QUESTION_WORD =
  oneOf(`what['’]?s? who['’]?s? whom whose when where which why how['’]?s? is are am was were does did should
  do_(?:you|we|i|they|people) have_(?:you|we|i|they) has would could can may explain define tell_me_(?:what|who|why|how|about)
  wie wer warum comment pourquoi quel(?:le)?`);
const QUESTION = new RegExp(`\\?\\W*$|${BEFORE}${QUESTION_WORD}\\b`, 'i');
const QUESTION_ALONE = new RegExp(`${BEFORE}${QUESTION_WORD}\\b[^.!?\\n]*\\??\\W*$`, 'i');
/** "Can you ...", "what about ...", "could I have ..." ask for something to be done. */
const REQUEST = new RegExp(
  `${BEFORE}(?:(?:can|could|would|will) (?:you|u|we)|(?:what|how) about|(?:can|could|may) (?:i|we) (?:have|get))\\b`,
  'i',
);
/** "When you have a minute" is no question. */
const AT_LEISURE =
  /^\W*when(?:ever)? (?:you|u) (?:have|get|can|find)\b(?: (?:a|an|some|the|spare|free|quick|minute|moment|second|sec|time|chance))*,?/i;
/** Texts that exist are looked up, not written. */
const EXISTING =
  /\b(?:search|sent|received|arrived|in (?:the|my|our) (?:inbox|mailbox|mails?|archive|folder|drive))\b/i;
const MAX_WORDS_INLINE = 25;

/** A question that is short enough for an immediate answer. Source: R-003-22. */
export function isShortQuestion(said: string): boolean {
  return QUESTION.test(said) && said.trim().split(/\s+/).length <= MAX_WORDS_INLINE;
}

/** Whether a person asks about an action instead of requesting it: "how do I delete a user?". */
export function isAbout(said: string): boolean {
  const phrase = said.replace(AT_LEISURE, '');
  return QUESTION.test(phrase) && !REQUEST_TO_DO.test(phrase);
}

const REQUEST_TO_DO = new RegExp(`(?:${BEFORE}|[,;.]\\s*)(?:can|could|would|will) (?:you|u|we)\\b`, 'i');
const WHETHER = new RegExp(`${BEFORE}(?:is|are|does|do|did|has|have|can|could|will|would|any|check)\\b`, 'i');

export function isWhether(said: string): boolean {
  return WHETHER.test(said);
}
