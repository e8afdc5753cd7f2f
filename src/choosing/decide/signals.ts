import { correctTypos } from './typos.js';

/** The kind of work that a request needs. Source: R-003-21, R-003-22; docs/choosing.md#deciding. */
export interface Signal {
  /** `write`: texts, many of them or a long one; `steps`: several kinds of work. */
  need: 'write' | 'steps';
  confidence: number;
  rationale: string;
  /** A plan or a workflow is to be made, so consent is needed. Source: R-003-19. */
  isComplex: boolean;
}

interface Way extends Signal {
  says: RegExp;
}

/** Joins alternatives separated by ` | `; a space matches any white space. */
function oneOf(...lines: readonly string[]): string {
  const words = lines.join(' | ').split(/\s*\|\s*/);
  return `(?:${words.join('|').replaceAll(' ', '\\s+')})`;
}

const NUMBER = oneOf(
  '\\d{1,4} | two | three | four | five | six | seven | eight | nine | ten | twelve | fifteen | twenty | fifty',
  'a hundred | a dozen | dozens of | a (?:few|couple|bunch|handful)(?: of)? | a (?:lot|set) of | a ton of | lots of',
  'several | many | multiple | some | various | different',
);
const VARIANTS = oneOf(
  'versions? | versons? | verions? | variants? | variations? | drafts? | alternatives? | options? | takes | phrasings | rewrites',
  'rewordings | wordings | ways to (?:say|word|phrase|write|put) | headlines? | titles? | taglines? | slogans? | subject lines?',
  'e-?mails? | messages | posts | tweets | captions | paragraphs | intros? | openings | blurbs | poems | jokes | names | ideas for',
);
const WRITE = oneOf(
  'writ(?:e|ing) | draft(?:ing)? | compose | produce | creat(?:e|ing) | generat(?:e|ing) | come up with | give me | get me | make(?: me)?',
  'prepare | brainstorm | need | want | word | phrase | rewrite | reword | rephrase | do | send me | show me | list | (?:can|could|may) (?:i|we) (?:get|have)',
);
const AUTHOR = oneOf(
  'writ(?:e|ing) | draft(?:ing)? | compose | author | prepare | put together | work out | come up with | create | make(?: me)? | need | type up',
);
const DOCUMENT = oneOf(
  'proposal | report | essay | article | blog post | blog | letter | spec(?:ification)? | design doc(?:ument)? | white ?paper',
  'story | speech | announcement | press release | newsletter | outline | post-?mortem | memo | brief | pitch',
  'cover letter | one-?pager | rfc | documentation',
);
const RESEARCH = oneOf(
  'research | investigate | look into | explore | study | survey | find out | gather | collect | look up | analy[sz]e',
);
const CONCLUDE = oneOf(
  'compare | put | summari[sz]e | evaluate | rank | recommend | report | write | draft | present | contrast | analy[sz]e',
);
const CHOOSE = oneOf('recommend | rank | summari[sz]e | report | choose | write | pick | tell me which');
const BUILD = oneOf('make | create | build | set ?up | design | write | put together | automate | draft');
const WORKFLOW = oneOf('workflow | pipeline | automation | runbook');
/** Words of the patterns that are often mistyped. */
const SIGNAL_WORDS: ReadonlySet<string> = new Set(
  [
    'write writing rewrite draft drafting compose generate create brainstorm',
    'versions variants variations drafts alternatives headlines taglines slogans subject captions paragraphs emails messages',
    'proposal report essay article announcement newsletter research investigate compare summarise summarize recommend workflow',
  ].flatMap((words) => words.split(' ')),
);
/** Before a number that begins a sentence. */
const LEADING = oneOf(
  'i | we | please | can | could | you | need | want | and | now | then | ok | also | like | would | about | how | what',
);
/** Stops at prepositions: "an issue about the report" is not a report. */
const NO_OTHER = '(?!(?:about|of|from|on|with|that|which|into|to|for|my|in)\\b(?!\\s+(?:me|us)\\b))';
/** Up to four words between the parts. */
const FEW = `(?:\\s+${NO_OTHER}[\\w'-]+){0,4}?`;
const ARTICLE = '(?:(?:a|an|the|our|my|some|me a|us a|up a)\\s+)?';
const ADJECTIVES = `(?:${NO_OTHER}[\\w'-]+\\s+){0,3}?`;

const WAYS: readonly Way[] = [
  write(0.92, 'Many variants of a text', `\\b${WRITE}\\b${FEW}\\s+${NUMBER}${FEW}\\s+${VARIANTS}\\b`),
  write(
    0.88,
    'Many variants of a text',
    `(?:^|[.!?,:;])\\W*(?:${LEADING}\\b\\W*)*${NUMBER}(?:\\s+more)?${FEW}\\s+${VARIANTS}\\b`,
  ),
  write(
    0.85,
    'Many variants of a text',
    `\\b(?:in|as)\\s+${NUMBER}${FEW}\\s+(?:versions?|variants?|variations?|ways|styles|tones)\\b`,
  ),
  {
    ...write(0.85, 'A plan is to be made', `\\b${AUTHOR}\\b${FEW}\\s+${ARTICLE}${ADJECTIVES}(?:plan|road\\s?map)\\b`),
    isComplex: true,
  },
  write(0.85, 'A long text is to be written', `\\b${AUTHOR}\\b${FEW}\\s+${ARTICLE}${ADJECTIVES}${DOCUMENT}\\b`),
  steps(
    0.88,
    'Several steps: research, and what comes of it',
    `\\b${RESEARCH}\\b[\\s\\S]{0,160}?\\b(?:and|then|,)\\s+(?:then\\s+)?${CONCLUDE}\\b`,
  ),
  steps(
    0.82,
    'Several steps: a comparison, and what comes of it',
    `\\bcompare\\b[\\s\\S]{0,160}?\\b(?:and|then)\\s+${CHOOSE}\\b`,
  ),
  {
    ...steps(
      0.85,
      'A workflow is to be made',
      `\\b${BUILD}\\b(?:\\s+(?:me|us))?\\s+${ARTICLE}${ADJECTIVES}${WORKFLOW}\\b`,
    ),
    isComplex: true,
  },
];

function write(confidence: number, rationale: string, says: string): Way {
  return { need: 'write', confidence, rationale, isComplex: false, says: new RegExp(says, 'i') };
}

function steps(confidence: number, rationale: string, says: string): Way {
  return { need: 'steps', confidence, rationale, isComplex: false, says: new RegExp(says, 'i') };
}

/** Existing texts, which are looked up, not written: "show me the last 5 emails". */
const EXISTING = new RegExp(
  `\\b(?:the|my|our|his|her|their|all)\\s+(?:last|latest|newest|recent|unread|open|old|oldest)\\b|\\b(?:last|latest|newest|recent|unread|open)\\s+\\d+|${NUMBER}\\s+(?:last|latest|newest|recent|unread|open)\\b|\\bin\\s+(?:the|my|our)\\s+(?:inbox|mailbox|mails?|archive|folder|drive)\\b|\\b(?:sent|received|arrived|got|came in)\\b`,
  'i',
);
const MAKES =
  /\b(?:writ(?:e|ing)|draft|compose|creat(?:e|ing)|generat(?:e|ing)|come up with|brainstorm|rewrite|reword|rephrase)\b/i;

const NEGATED = /^\W*(?:(?:please|pls|ok|no)\W+)*(?:do not|don['’]?t|never|no)\b/i;

/** The strongest signal; undefined if none, or for a question about it. Source: R-003-21, R-003-22. */
export function signalIn(text: string): Signal | undefined {
  const said = correctTypos(text, SIGNAL_WORDS);
  if (isQuestion(said) || NEGATED.test(said)) return undefined;
  const found = WAYS.filter(
    ({ says, need }) => says.test(said) && !(need === 'write' && EXISTING.test(said) && !MAKES.test(said)),
  );
  const [strongest] = found.sort((one, other) => other.confidence - one.confidence);
  if (!strongest) return undefined;
  const { says: _, ...signal } = strongest;
  return signal;
}

const MAX_WORDS_INLINE = 25;
const QUESTION_WORD = oneOf(
  'what | who | whom | whose | when | where | which | why | how | whats | hows | is | are | am | was | were | does | did | should',
  'do (?:you|we|i|they|people) | have (?:you|we|i|they) | has | would | could | can | may | explain | define',
  'tell me (?:what|who|why|how|about) | wie | wer | warum | comment | pourquoi | quel(?:le)?',
);
const QUESTION = new RegExp(
  `\\?\\W*$|^\\W*(?:(?:hey|hi|ok|so|and|but|btw|quick question)\\b\\W*)*(?:${QUESTION_WORD}|what's)\\b`,
  'i',
);
const QUESTION_FIRST = new RegExp(
  `^\\W*(?:(?:hey|hi|ok|so|and|but|btw|quick question)\\b\\W*)*(?:${QUESTION_WORD}|what's)\\b[^.!?\\n]*\\??\\W*$`,
  'i',
);
const REQUEST_TO_HAVE =
  /^\W*(?:(?:hey|hi|ok|so|and|please|pls)\b\W*)*(?:(?:what|how) about|(?:can|could|may) (?:i|we) (?:have|get))\b/i;
/** "When you have a minute" is no question. */
const AT_LEISURE =
  /^\W*when(?:ever)? (?:you|u) (?:have|get|can|find)\b(?: (?:a|an|some|the|spare|free|quick|minute|moment|second|sec|time|chance))*,?/i;
const REQUEST_TO_DO = /^\W*(?:(?:hey|hi|ok|so|and|please|pls)\b\W*)*(?:can|could|would|will) (?:you|u|we)\b/i;

/** A question that is short enough for an immediate answer. Source: R-003-22. */
export function isShortQuestion(said: string): boolean {
  return QUESTION.test(said) && said.trim().split(/\s+/).length <= MAX_WORDS_INLINE;
}

/** Whether a person asks about an action instead of requesting it: "how do I delete a user?". */
export function isAbout(said: string): boolean {
  const phrase = said.replace(AT_LEISURE, '');
  return QUESTION.test(phrase) && !REQUEST_TO_DO.test(phrase);
}

/** A question about something, not a request for it: "how do I write a proposal?". */
function isQuestion(said: string): boolean {
  return QUESTION_FIRST.test(said) && !REQUEST_TO_DO.test(said) && !REQUEST_TO_HAVE.test(said);
}

const WHETHER =
  /^\W*(?:(?:hey|hi|ok|so|and|please|pls)\b\W*)*(?:is|are|does|do|did|has|have|can|could|will|would|any|check)\b/i;

export function isWhether(said: string): boolean {
  return WHETHER.test(said);
}
