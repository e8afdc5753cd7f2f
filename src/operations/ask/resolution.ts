import type { Problem } from '../../contracts/problem.js';
import type { Pending } from '../../contracts/routing.js';
import type { Considered } from './ask-shapes.js';

/** The result of a decision; fields left out are empty. */
export type Resolution = Pick<Considered, 'outcome' | 'answer'> & Partial<Considered>;

/** How long a question stays open; a later short text does not count as its answer. */
const ANSWERED_WITHIN_MS = 60 * 60_000;

export function answered(answer: string): Resolution {
  return { outcome: 'answers', answer };
}

export function asking(question: string, options: string[], pending: Pending | null): Resolution {
  return { outcome: 'asks', answer: question, question, options, pending };
}

export function unavailable({
  code,
  message,
  suggestion,
}: Pick<Problem, 'code' | 'message' | 'suggestion'>): Resolution {
  const problem = { code, message, ...(suggestion !== undefined && { suggestion }) };
  return { outcome: 'unavailable', answer: message, problem };
}

export function pendingOf({ key }: { key: string }, what: Omit<Pending, 'thread_key' | 'since' | 'until'>): Pending {
  const now = Date.now();
  const until = new Date(now + ANSWERED_WITHIN_MS).toISOString();
  return { ...what, thread_key: key, since: new Date(now).toISOString(), until };
}
