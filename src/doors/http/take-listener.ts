import { AbilityError } from '../../contracts/problem.js';
import type { HttpCaller } from './caller.js';
import type { HttpDoor } from './http-door.js';

const listening = new WeakMap<HttpDoor, Map<string, number>>();
const RETRY_AFTER = 5;

/** Counts one listener of a caller until it leaves. @throws AbilityError `door.too_many`. */
export function takeListener(door: HttpDoor, { name }: HttpCaller): () => void {
  const counts = listening.get(door) ?? new Map<string, number>();
  listening.set(door, counts);
  const count = counts.get(name) ?? 0;
  if (count >= door.limits.listeners) {
    throw new AbilityError({
      code: 'door.too_many',
      message: `One caller listens to, or waits for, at most ${door.limits.listeners} tasks at a time`,
      suggestion: 'End one of these requests first.',
      details: { retry_after: RETRY_AFTER },
    });
  }
  counts.set(name, count + 1);
  return () => {
    const left = (counts.get(name) ?? 1) - 1;
    if (left > 0) counts.set(name, left);
    else counts.delete(name);
  };
}
