import { AbilityError } from '../../contracts/problem.js';
import type { HttpCaller } from './authenticate.js';
import type { HttpDoor } from './http-door.js';

/** The number of requests that share each long poll of Temporal. */
type Polls = Map<unknown, number>;

const counted = new WeakMap<HttpDoor, { ofCallers: Map<string, Polls>; ofAll: Polls }>();
const RETRY_AFTER = 5;

/**
 * Counts long polls, which Temporal limits per namespace; listeners of a task share one. @param task whose events
 * are listened to; left out: a wait with its own poll. @returns ends it. @throws AbilityError `door.too_many`.
 */
export function reserveWait(door: HttpDoor, { name }: Pick<HttpCaller, 'name'>, task?: string): () => void {
  const { listeners, listenersInAll, streams, streamsInAll } = door.limits;
  const { ofCallers, ofAll } = counted.get(door) ?? { ofCallers: new Map<string, Polls>(), ofAll: new Map() };
  counted.set(door, { ofCallers, ofAll });
  const own: Polls = ofCallers.get(name) ?? new Map();
  const poll = task ?? Symbol('wait');
  if (isFull(own, poll, listeners)) {
    throw tooMany(`One caller listens to, or waits for, at most ${listeners} tasks at a time`);
  }
  if (isFull(ofAll, poll, listenersInAll)) {
    throw tooMany(`At most ${listenersInAll} tasks are listened to or waited for at a time`);
  }
  if (requestsOf(own) >= streams) throw tooMany(`At most ${streams} requests of one caller listen or wait at a time`);
  if (requestsOf(ofAll) >= streamsInAll) throw tooMany(`At most ${streamsInAll} requests listen or wait at a time`);
  ofCallers.set(name, own);
  count(own, poll, 1);
  count(ofAll, poll, 1);
  return () => {
    count(own, poll, -1);
    if (own.size === 0) ofCallers.delete(name);
    count(ofAll, poll, -1);
  };
}

export function streamsOf(door: HttpDoor): number {
  return requestsOf(counted.get(door)?.ofAll ?? new Map());
}

function isFull(polls: Polls, poll: unknown, max: number): boolean {
  return !polls.has(poll) && polls.size >= max;
}

function requestsOf(polls: Polls): number {
  let sum = 0;
  for (const requests of polls.values()) sum += requests;
  return sum;
}

function count(polls: Polls, poll: unknown, by: number): void {
  const now = (polls.get(poll) ?? 0) + by;
  if (now > 0) polls.set(poll, now);
  else polls.delete(poll);
}

function tooMany(message: string): AbilityError {
  return new AbilityError({
    code: 'door.too_many',
    message,
    suggestion: 'End one of these requests first, or ask again later.',
    details: { retry_after: RETRY_AFTER },
  });
}
