/** Which words of a request a call accounts for. What is not wholly understood is asked about. Source: docs/choosing.md#asking. */

import { isReading } from '../contracts/effects.js';
import type { Json, JsonObject } from '../contracts/json.js';
import { escapePattern } from '../text/escape-pattern.js';
import { listed } from '../text/listed.js';
import { memoize } from '../text/memoize.js';
import { shorten } from '../text/shorten.js';
import type { AbilityPool } from './ability-pool.js';
import type { ChoosableAbility } from './read-abilities.js';
import { readAll, schemaOfInput, spelled } from './read-inputs.js';
import { isTypoOf, setOf, stemsIn, wordsIn, wordTexts } from './words.js';

export interface Accounted {
  /** In the order of the request, as written: what is neither of the ability, nor an input, nor courtesy. */
  unused: string[];
  /** Those of `unused` that limit a request: names, numbers, addresses, quoted texts, places and times. */
  limits: string[];
  /** It begins with a verb of the ability, or one that starts anything, and then names something of it. */
  isOrder: boolean;
  /** It has a word of the ability, or a value that was read from it. */
  isAbout: boolean;
  /** Its first word is accounted for. */
  isPlain: boolean;
  /** The number of unused words that are no grammar words. */
  rest: number;
  /** It has no verb of the ability, and most of its words are of something else. */
  isFar: boolean;
}

/** What the words of a request may be about, besides inputs. */
export interface Known {
  /** Id, then summary, uses and keywords of the ability. Not its parameters: only their values count. */
  texts: readonly string[];
  /** Where the call runs: environment, scope. */
  places: readonly string[];
  input: JsonObject;
  /** Words that begin an order to it besides those of its texts: the chosen action, such as `refund`. */
  verbs: readonly string[];
  /** What may be asked of it: `reads`, also "show", `requests` also of work on texts, as agents take. */
  takes: 'changes' | 'reads' | 'requests';
}

/** Words without a meaning of their own. None of them limits, refuses or postpones; all others must be accounted for. */
const FILLERS = setOf(
  `a an the for in on at to of from with by via as into my our me us i you and is are please pls kindly thanks thank thx now check`,
);
/** How people begin an order; the verb follows. */
const OPENING =
  /^[\s,.!]*(?:(?:hi|hello|hey|ok|okay|so|and|also|then|please|pls|kindly|now|just)\b[\s,!.]*)*(?:(?:can|could|would|will) (?:you|u)\b\s*|(?:i|we)(?:['’]d| would)? (?:like|want|need)(?: you)? to\b\s*)?(?:(?:please|pls|kindly|now|just)\b[\s,]*)*/i;
const COURTESY =
  /\b(?:for me|if you (?:can|could)|if possible|when(?:ever)? you (?:can|have (?:a (?:minute|moment|second)|time)))\b/gi;
const STARTS = setOf('run start launch execute trigger perform do call use');
/** How people ask to see something; it changes nothing. */
const LOOKS =
  setOf(`show list display print view get fetch read give find search look lookup see tell inspect any all need want what whats
  which who whos whose when where how is are was were do does did has have`);
/** How people ask an agent for something. */
const WORKS =
  setOf(`write draft compose rewrite reword rephrase translate summarise summarize research investigate compare analyse analyze
  review explain brainstorm propose prepare delegate hand let have ask via with`);
/** What follows one of these limits a request. */
const BEFORE_LIMITS =
  setOf(`in on at from of for to with by via about since until till before after between during within near like as than called
  named only except without last next`);
/** Articles and the like between such a word and what it introduces. */
const SKIPPED = setOf('a an the my our');

/** Quoted texts, and words with their inner signs: `n-42`, `a@b.com`, `1.5`, `modules/users`. */
const TOKENS = /"[^"\n]*"|“[^”\n]*”|«[^»\n]*»|`[^`\n]*`|[\p{L}\p{M}\p{N}][^\s"“”«»`,;!?()]*|[^\s,.!]/gu;

/** Accounts for each word of a request by the ability, by the values that were read from it, or as courtesy. */
export function accountFor(text: string, { texts, places, input, verbs, takes }: Known): Accounted {
  // An agent or a search takes a request as it is. The value of an input alone changes nothing: "checkout".
  if (takes !== 'changes' && Object.values(input).includes(text))
    return { unused: [], limits: [], isOrder: true, isAbout: true, isPlain: true, isFar: false, rest: 0 };
  const opening = OPENING.exec(text)?.[0] ?? '';
  const isAsked = /\b(?:can|could|would|will) (?:you|u)\b/i.test(opening);
  const whole = text.slice(opening.length).replace(COURTESY, ' ');
  const rest = withoutInputs(whole, input);
  const hasLetter = LETTER.test(rest);
  const facts = factsOf(texts);
  const { about, names } = facts;
  const where = new Set(places.map((place) => place.toLowerCase()));
  const isKnown = (token: string): boolean =>
    FILLERS.has(token.toLowerCase()) ||
    token === texts[0] ||
    where.has(token.toLowerCase()) ||
    (!NO_PART.test(token) && isAbout(token, about) && (!isMarked(token) || names.has(token.toLowerCase())));
  const tokens = (rest.match(TOKENS) ?? []).map((token) => token.replace(/(?<=[\p{L}\p{N}])[.:]+$/u, ''));
  const [verb = '', ...others] = tokens;
  const word = verb.toLowerCase().replace(/['’]s$/, 's');
  const isNamed = verb === texts[0];
  const isStart =
    STARTS.has(word) || (takes !== 'changes' && LOOKS.has(word)) || (takes === 'requests' && WORKS.has(word));
  const [begins = ''] = whole.toLowerCase().match(/[\p{L}\p{N}_-]+/u) ?? [];
  const isVerb = isNamed || verbs.includes(begins) || (!isMarked(verb) && (isStart || isVerbOf(word, facts)));
  const isUsed = (token: string, at: number): boolean =>
    (at === 0 && isVerb && !verbs.includes(begins)) ||
    ((isAsked || takes !== 'changes') && token === '?') ||
    (isKnown(token) && !(hasLetter && /^an?$/i.test(token)));
  const left = tokens.flatMap((token, at) => (isUsed(token, at) ? [] : [{ token, at }]));
  const unusedContent = left.filter(({ token }) => hasContent(token));
  const isOf = (token: string): boolean => isAbout(token, about);
  const isLikeVerb = (token: string): boolean =>
    isVerbOf(token, facts) || facts.firsts.some((first) => isTypoOf(token, first));
  const hasValue = rest !== whole;
  return {
    unused: left.map(({ token }) => token),
    limits: left.filter(({ at }) => isLimit(tokens, at)).map(({ token }) => token),
    isOrder: isVerb && (isNamed || takes === 'requests' || hasValue || others.some(isOf)),
    isAbout: hasValue || tokens.some(isOf),
    isPlain: left[0]?.at !== 0,
    rest: unusedContent.length,
    isFar:
      !isVerb &&
      unusedContent.length * 2 >= tokens.filter(hasContent).length &&
      !tokens.some((token) => isLikeVerb(token.toLowerCase())),
  };
}

/** Inputs whose choices are verbs. A service or a state that begins a request orders nothing. */
const ACTIONS = setOf('action operation command verb');

/** Which words an ability of the pool accounts for. @param known replaces what is read from the text and the definition. */
export function accountInPool(pool: AbilityPool, id: string, text: string, known: Partial<Known> = {}): Accounted {
  const ability = pool.abilities.get(id);
  const schema = ability?.definition.input_schema ?? {};
  const { input = readAll(schema, text) } = known;
  const actions = Object.entries(input).filter(([name]) => ACTIONS.has(name) && schemaOfInput(schema, name).enum);
  return accountFor(text, {
    texts: ability ? textsOf(ability) : [id],
    places: [pool.environment, pool.scope ?? ''],
    verbs: actions.map(([, action]) => String(action).toLowerCase()),
    takes: ability ? takenBy(ability) : 'changes',
    ...known,
    input,
  });
}

function takenBy({ definition }: ChoosableAbility): Known['takes'] {
  if ('type' in definition) return definition.type === 'agent' ? 'requests' : 'changes';
  return isReading(definition.effects) ? 'reads' : 'changes';
}

const textsOf = memoize(({ id, text: { texts } }: ChoosableAbility): string[] => {
  const { summary = [], uses = [], keywords = [] } = texts;
  return [id, ...summary, ...uses, ...keywords];
});

function hasContent(token: string): boolean {
  return isMarked(token) || (!LOOKS.has(token) && wordsIn(token).some(({ kind }) => kind !== 'stop'));
}

function isAbout(token: string, about: ReadonlySet<string>): boolean {
  const stems = [...stemsOf(token)];
  return stems.length > 0 && stems.every((stem) => about.has(stem));
}

/** Neither a letter nor a number. */
const NO_PART = /^[^\p{L}\p{N}]*$/u;

/** A letter, not an article: "zone a". */
const LETTER = /\b(?:a|an)(?=\s*(?:$|[.,;!?]|(?:please|pls|thanks|in|at|for|from|to|and|or)\b))/i;

/** Quoted, an address, a path, a number, or a name in the middle of a sentence. */
function isMarked(token: string): boolean {
  return /^["“«`]|[@/\\]|\p{N}/u.test(token);
}

/** "Do not list them" is no order to list them. */
const NEGATION = /^(?:not|never|no|none|don['’]?t|without|except)$/i;

function isLimit(tokens: readonly string[], at: number): boolean {
  const token = tokens[at] ?? '';
  if (NO_PART.test(token)) return false;
  if (isMarked(token) || NEGATION.test(token) || (at > 0 && /^\p{Lu}/u.test(token))) return true;
  const before = tokens.slice(0, at).findLast((one) => !SKIPPED.has(one.toLowerCase()));
  return BEFORE_LIMITS.has(before?.toLowerCase() ?? '');
}

/** What the texts of an ability say, as far as words are compared with it. */
const factsOf = memoize((texts: readonly string[]) => {
  const [id = '', ...others] = texts;
  const words = others.map(wordsIn);
  const stems = new Set(words.flat().map(({ stem }) => stem));
  const firsts = words.flatMap(([first]) => first ?? []);
  const [last] = wordsIn(id.slice(id.lastIndexOf('.') + 1));
  return {
    about: stemsOf(texts.join('\n')),
    /** Names with a digit in its id or summary, such as `E2E`. Other words with digits are values. */
    names: new Set(texts.slice(0, 2).join('\n').toLowerCase().match(NAME)),
    /** The first word of each text but the id, and their stems. */
    firsts: firsts.map(({ text }) => text),
    verbs: new Set(firsts.map(({ stem }) => stem)),
    /** The first word of the last part of the id, unless a text has it: `purge` of `users.purge`. */
    own: last && !stems.has(last.stem) ? last.text : undefined,
  };
});

type Facts = ReturnType<typeof factsOf>;

const NAME = /(?<![\p{L}\p{N}])\p{L}+\p{N}+\p{L}*(?![\p{L}\p{N}])/gu;

/** The base form of the first word of a text: `delete`, not `deleted`; or that of the id. */
function isVerbOf(word: string, { verbs, own }: Facts): boolean {
  const [said] = wordsIn(word);
  return said !== undefined && !/(?:ed|ing|[^s]s)$/.test(word) && (verbs.has(said.stem) || own === word);
}

/** Whether it asks to see something, by its first word. */
export function isLooking(text: string): boolean {
  const said = text.replace(OPENING, '').toLowerCase();
  const [word = ''] = said.match(/\p{L}+/u) ?? [];
  return word === 'check' || (word !== 'get' && LOOKS.has(word));
}

/** Grammar words of the texts account for nothing: "not", "if" and "after" in a summary are no reason to drop them. */
function stemsOf(text: string): ReadonlySet<string> {
  return stemsIn(text, 'content', 'common', 'number');
}

/** Removes each value, with the name of its input before it. */
function withoutInputs(text: string, input: JsonObject): string {
  const values = Object.entries(input).flatMap(([name, value]) => scalarsOf(value).map((one) => ({ name, one })));
  values.sort((one, other) => other.one.length - one.one.length);
  return values.reduce((left, { name, one }) => {
    const words = wordTexts(name);
    const short = words.length > 1 ? `|${spelled(words.slice(0, -1))}` : '';
    const label = `(?:(?:${spelled(words)}${short})\\s*(?:is|number|no\\.?|=|:|#)?\\s*)?`;
    // "in the last 15m"
    const recent = /^\d/.test(one) ? '(?:(?:last|past|next)\\s+)?' : '';
    const bare = escapePattern(one);
    // "1990 cents" for `price_cents`
    const unit = words.length > 1 ? `(?:\\s+${words.at(-1)})?` : '';
    const value = `${recent}(?:"${bare}"|“${bare}”|«${bare}»|\`${bare}\`|'${bare}'|${bare})${unit}`;
    return left.replace(new RegExp(`(?<![\\p{L}\\p{N}_])${label}${value}(?![\\p{L}\\p{N}_])`, 'giu'), ' ');
  }, text);
}

function scalarsOf(value: Json): string[] {
  if (value === null || value === '') return [];
  return typeof value === 'object' ? Object.values(value).flatMap((one) => scalarsOf(one as Json)) : [String(value)];
}

const MAX_SHOWN = 5;
const LONGEST_SHOWN = 24;

/** Before a question about a call: the words that it would drop, as a sentence and a space; empty if none. */
export function unusedWords(unused: readonly string[]): string {
  const words = unused
    .filter((word) => !NO_PART.test(word))
    .map((word) => word.replaceAll(/["“”«»`?\s]+/g, ' ').trim());
  const shown = words.slice(0, MAX_SHOWN).map((word) => `"${shorten(word, LONGEST_SHOWN)}"`);
  const all = words.length > MAX_SHOWN ? [...shown, `${words.length - MAX_SHOWN} more`] : shown;
  return all.length > 0 ? `${listed(all, 'and')} would not be used. ` : '';
}
