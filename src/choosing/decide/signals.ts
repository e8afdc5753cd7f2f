/** Strong signals of what a request needs, with how sure each is. Source: R-003-21, R-003-22; exact shapes, section 3. */

/** What a request needs, by its words alone. */
export interface Signal {
  /** `write`: texts, many of them or a long one; `steps`: several kinds of work. */
  need: 'write' | 'steps';
  confidence: number;
  rationale: string;
}

/** A way in which people say it. */
interface Way extends Signal {
  says: RegExp;
}

/** One of several words, each a part of a pattern; a space is any white space. */
function oneOf(...lines: readonly string[]): string {
  const words = lines.join(' | ').split(/\s*\|\s*/);
  return `(?:${words.join('|').replaceAll(' ', '\\s+')})`;
}

const NUMBER = oneOf(
  '\\d{1,4} | two | three | four | five | six | seven | eight | nine | ten | twelve | fifteen | twenty | fifty',
  'a hundred | a dozen | dozens of | a few | a couple(?: of)? | a (?:bunch|handful|lot|set) of | a ton of | lots of',
  'several | many | multiple | some | various | different',
);
const VARIANTS = oneOf(
  'versions? | versons? | verions? | variants? | variations? | drafts? | alternatives? | options? | takes | phrasings | rewrites',
  'rewordings | wordings | ways to (?:say|word|phrase|write|put) | headlines? | titles? | taglines? | slogans? | subject lines?',
  'e-?mails? | messages | posts | tweets | captions | paragraphs | intros? | openings | blurbs | poems | jokes | names | ideas for',
);
const WRITE = oneOf(
  'writ(?:e|ing) | draft(?:ing)? | compose | produce | creat(?:e|ing) | generat(?:e|ing) | come up with | give me | get me | make(?: me)?',
  'prepare | brainstorm | need | want | word | phrase | rewrite | reword | rephrase | do | send me | show me | list',
);
const AUTHOR = oneOf(
  'writ(?:e|ing) | draft(?:ing)? | compose | author | prepare | put together | work out | come up with | create | make(?: me)? | need | type up',
);
const DOCUMENT = oneOf(
  'proposal | plan | report | essay | article | blog post | blog | letter | spec(?:ification)? | design doc(?:ument)? | white ?paper',
  'story | speech | announcement | press release | newsletter | outline | road ?map | post-?mortem | memo | brief | pitch',
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
/** Before a number that begins a sentence. */
const LEADING = oneOf(
  'i | we | please | can | could | you | need | want | and | now | then | ok | also | like | would | about',
);
/** At most so many words between the parts. */
const FEW = "(?:\\s+[\\w'-]+){0,4}?";
const ARTICLE = '(?:(?:a|an|the|our|my|some|me a|us a|up a)\\s+)?';
const ADJECTIVES = "(?:[\\w'-]+\\s+){0,3}?";

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
  steps(0.85, 'A workflow is to be made', `\\b${BUILD}\\b(?:\\s+(?:me|us))?\\s+${ARTICLE}${ADJECTIVES}${WORKFLOW}\\b`),
];

function write(confidence: number, rationale: string, says: string): Way {
  return { need: 'write', confidence, rationale, says: new RegExp(says, 'i') };
}

function steps(confidence: number, rationale: string, says: string): Way {
  return { need: 'steps', confidence, rationale, says: new RegExp(says, 'i') };
}

/** The strongest signal in what a person says; undefined where there is none. */
export function signalIn(said: string): Signal | undefined {
  const found = WAYS.filter(({ says }) => says.test(said));
  const [strongest] = found.sort((one, other) => other.confidence - one.confidence);
  if (!strongest) return undefined;
  const { says: _, ...signal } = strongest;
  return signal;
}

const MOST_WORDS_INLINE = 25;
const QUESTION_WORD = oneOf(
  'what | who | whom | whose | when | where | which | why | how | whats | hows | is | are | am | was | were | does | did | should',
  'do (?:you|we|i|they|people) | have (?:you|we|i|they) | has | would | could | can | may | explain | define',
  'tell me (?:what|who|why|how|about) | wie | wer | warum | comment | pourquoi | quel(?:le)?',
);
const QUESTION = new RegExp(
  `\\?\\W*$|^\\W*(?:(?:hey|hi|ok|so|and|but|btw|quick question)\\b\\W*)*(?:${QUESTION_WORD}|what's)\\b`,
  'i',
);
const ASKED_TO_DO = /^\W*(?:(?:hey|hi|ok|so|and|please|pls)\b\W*)*(?:can|could|would|will) (?:you|u|we)\b/i;

/** A short question that can be answered at once. Source: R-003-22. */
export function isShortQuestion(said: string): boolean {
  return QUESTION.test(said) && said.trim().split(/\s+/).length <= MOST_WORDS_INLINE;
}

/** Whether a question is asked about something, and not that something is done: "how do I delete a user?". */
export function isAbout(said: string): boolean {
  return QUESTION.test(said) && !ASKED_TO_DO.test(said);
}

const WHETHER =
  /^\W*(?:(?:hey|hi|ok|so|and|please|pls)\b\W*)*(?:is|are|does|do|did|has|have|can|could|will|would|any|check)\b/i;

/** Whether a question is answered by yes or no. */
export function isWhether(said: string): boolean {
  return WHETHER.test(said);
}

const BEFORE_REFUSAL = '^\\W*(?:(?:please|ok|okay|no|wait|hey|hang on|hold on|actually|but|and|so)\\b\\W*)*';
/** "stop the server" asks for something; "stop" and "cancel that" do not. */
const REFUSAL = new RegExp(
  `${BEFORE_REFUSAL}(?:(?:do not|don'?t|never|hold off|not yet|nvm|never ?mind|forget it)\\b|(?:stop|cancel|abort|wait)(?:\\s+(?:it|that|this|everything|now|please|pls))*\\W*$)`,
  'i',
);

/** Without the sentences that ask for something not to be done. */
export function withoutRefused(said: string): string {
  return said
    .split(/(?<=[.!?;])\s+|\n+/)
    .filter((sentence) => !REFUSAL.test(sentence))
    .join('\n');
}
