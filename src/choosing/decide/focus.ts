import { type FocusContext, LANE_LENGTH, type LaneMessage, type Pending } from '../../contracts/routing.js';
import { withoutMiddle } from '../../rules/sessions/read-session-start.js';
import { shorten } from '../../text/shorten.js';
import { single } from '../read-inputs.js';
import { shareWord } from '../words.js';
import { actOf, wantsSubAgent, withoutSubAgent } from './asks-for.js';
import { saidIn } from './said-text.js';

const LONGEST_SNIPPET = 200;
const WORDS_OF_A_TITLE = 8;

/** A conversation, whose last message is decided about. */
export interface Thread {
  key: string;
  /** Oldest first; the decision is about the last one. */
  messages: readonly LaneMessage[];
  pending: Pending | null;
  /** Milliseconds since 1970. */
  now: number;
}

/**
 * The last message if it is a request, else the newest request before it; ambiguous if several are unanswered and
 * its words do not distinguish them. Only people make requests. Drops a `pending` that expired or belongs to
 * another thread. Source: R-003-01, R-003-23, R-003-24; docs/choosing.md#deciding.
 */
export function focusOf({ key, messages, pending, now }: Thread): FocusContext {
  const window = shortened(messages.slice(-LANE_LENGTH));
  const meant = meantBy(window);
  const [only] = meant;
  const said = saidIn(only?.text ?? '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return {
    anchor: meant.length === 1 && only ? { message_id: only.id, snippet: shorten(said, LONGEST_SNIPPET) } : null,
    lane: { thread_key: key, window },
    candidates: meant.length > 1 ? meant.map(({ id, text }) => ({ message_id: id, title: titleOf(text) })) : [],
    pending: pending && isAlive(pending, key, now) ? pending : null,
  };
}

/** Long messages without their middle. */
export function shortened(messages: readonly LaneMessage[]): LaneMessage[] {
  return messages.map((message) => ({ ...message, text: withoutMiddle(message.text) }));
}

/** The text of the message that a decision is about. */
export function anchoredIn({ anchor, lane }: FocusContext): string | undefined {
  return lane.window.find(({ id }) => id === anchor?.message_id)?.text;
}

/** Whether it still waits, in this thread. */
export function isAlive({ thread_key, until }: Pending, key: string, now: number): boolean {
  return thread_key === key && (until === undefined || Date.parse(until) > now);
}

/** The requests that the last message may be about; the newest last. */
function meantBy(window: readonly LaneMessage[]): LaneMessage[] {
  const [latest] = window.slice(-1);
  if (latest?.role !== 'user') return [];
  const before = window.slice(0, -1);
  const asking = before.filter((message) => message.role === 'user' && isRequest(message));
  const taken = takenUp(latest.text, asking);
  if (taken) return [taken];
  if (isRequest(latest)) return [latest];
  const [newest] = asking.slice(-1);
  if (!newest || actOf(latest.text) === 'talks' || takesUpOffer(window)) return [];
  // Those since the last answer before it are unanswered.
  const answer = before.slice(0, before.indexOf(newest)).findLastIndex(({ role }) => role === 'assistant');
  const open = before.slice(answer + 1).filter((message) => asking.includes(message));
  if (open.length < 2) return [newest];
  const meant = open.filter((message) => sharesWords(latest.text, message.text));
  return meant.length === 1 ? meant : open;
}

/** "Do the mail via sub-agent": the one earlier request that it names. Source: R-003-28. */
function takenUp(text: string, asking: readonly LaneMessage[]): LaneMessage | undefined {
  const rest = withoutSubAgent(text);
  if (!wantsSubAgent(text) || !NAMES_ONE.test(rest)) return undefined;
  return single(asking.filter((message) => sharesWords(rest, message.text)));
}

const NAMES_ONE =
  /^\W*(?:(?:please|pls|ok|and|now)\b\W*)*(?:(?:do|handle|take|run|hand|give)\s+)?(?:the|that|this|my)(?:\s+[\w-]+){1,3}\W*$/i;

/** "Do it" after "Shall I ...?" agrees to the offer; it is no request. Source: R-003-23, R-003-28. */
function takesUpOffer(window: readonly LaneMessage[]): boolean {
  const [offer, latest] = window.slice(-2);
  return offer?.role === 'assistant' && OFFER.test(offer.text) && !!latest && !wantsSubAgent(latest.text);
}

const OFFER = /\b(?:(?:shall|should|may|can|could) (?:i|we)|want me to|would you like|do you want)\b[^?]*\?\W*$/i;

function isRequest({ text }: LaneMessage): boolean {
  return actOf(text) === 'asks' && (!/sub-?\s?agent|delegat/i.test(text) || withoutSubAgent(text) !== '');
}

function sharesWords(one: string, other: string): boolean {
  return shareWord(saidIn(one), saidIn(other), 'content', 'number');
}

function titleOf(text: string): string {
  const words = saidIn(text)
    .replace(/^\s+|[\s.!?]+$/g, '')
    .split(/\s+/);
  return `${words.slice(0, WORDS_OF_A_TITLE).join(' ')}${words.length > WORDS_OF_A_TITLE ? '...' : ''}`;
}
