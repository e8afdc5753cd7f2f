import { AbilityError } from '../../contracts/problem.js';
import type { HttpCaller } from './caller.js';
import type { HttpDoor } from './http-door.js';

const listening = new WeakMap<HttpDoor, Map<string, number>>();
const RETRY_AFTER = 5;

/**
 * Counts one request that listens to a task, or waits for it, until it leaves. Each of them is a long poll of Temporal, which takes
 * only so many of a namespace, those of the workers among them.
 *
 * @throws AbilityError `door.too_many`.
 */
export function takeListener(door: HttpDoor, { name }: Pick<HttpCaller, 'name'>): () => void {
  const { listeners, listenersInAll } = door.limits;
  const counts = listening.get(door) ?? new Map<string, number>();
  listening.set(door, counts);
  const count = counts.get(name) ?? 0;
  if (count >= listeners) throw tooMany(`One caller listens to, or waits for, at most ${listeners} tasks at a time`);
  const all = [...counts.values()].reduce((sum, each) => sum + each, 0);
  if (all >= listenersInAll) throw tooMany(`At most ${listenersInAll} requests listen or wait at a time`);
  counts.set(name, count + 1);
  return () => {
    const left = (counts.get(name) ?? 1) - 1;
    if (left > 0) counts.set(name, left);
    else counts.delete(name);
  };
}

function tooMany(message: string): AbilityError {
  return new AbilityError({
    code: 'door.too_many',
    message,
    suggestion: 'End one of these requests first, or ask again later.',
    details: { retry_after: RETRY_AFTER },
  });
}
