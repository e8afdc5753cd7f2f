import { LANE_LENGTH, type LaneMessage } from '../../contracts/routing.js';
import type { SessionThread } from '../../contracts/session.js';

/** Characters kept at each end of a long text: the request is before or after pasted text. */
const KEPT_AT_AN_END = 1000;

export const EMPTY_THREAD: SessionThread = { messages: [], count: 0, pending: null };

/** Appends a message, and drops the oldest above {@link LANE_LENGTH}. @param at ISO 8601. */
export function addToThread(thread: SessionThread, { role, text }: Said, at: string): SessionThread {
  const count = thread.count + 1;
  const message: LaneMessage = { id: `m-${count}`, role, text: withoutMiddle(text), at };
  return { ...thread, count, messages: [...thread.messages, message].slice(-LANE_LENGTH) };
}

type Said = Pick<LaneMessage, 'role' | 'text'>;

/** Keeps the beginning and end of a long text: models that interpret messages take too long for more. */
export function withoutMiddle(text: string): string {
  if (text.length <= 2 * KEPT_AT_AN_END) return text;
  return `${text.slice(0, KEPT_AT_AN_END)}\n[...]\n${text.slice(-KEPT_AT_AN_END)}`;
}
