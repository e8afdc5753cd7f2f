import { LANE_LENGTH, type LaneMessage } from '../../contracts/routing.js';
import type { SessionThread } from '../../contracts/session.js';

/** Characters of a text kept at each end: a request precedes or follows pasted text. */
const KEPT_AT_AN_END = 1000;

/** A thread without messages. */
export const EMPTY_THREAD: SessionThread = { messages: [], count: 0, pending: null };

/** A thread with one more message; of more than {@link LANE_LENGTH} the oldest goes. `at` is ISO 8601. */
export function addToThread(thread: SessionThread, { role, text }: Said, at: string): SessionThread {
  const count = thread.count + 1;
  const message: LaneMessage = { id: `m-${count}`, role, text: withoutMiddle(text), at };
  return { ...thread, count, messages: [...thread.messages, message].slice(-LANE_LENGTH) };
}

type Said = Pick<LaneMessage, 'role' | 'text'>;

/**
 * The stored form of a text: of a long one, its beginning and its end. Models that interpret messages take too long for
 * more.
 */
export function withoutMiddle(text: string): string {
  if (text.length <= 2 * KEPT_AT_AN_END) return text;
  return `${text.slice(0, KEPT_AT_AN_END)}\n[...]\n${text.slice(-KEPT_AT_AN_END)}`;
}
