import type { Plan } from '../../contracts/plan.js';
import { digestOf } from '../canonical.js';

const MAX_DIGESTS = 50;
/** In characters; larger plans are not cached. */
const MAX_TEXT = 64 * 1024;

/** By the plan as JSON. Equal plans with another key order have separate entries. */
const known = new Map<string, string>();

/** Cached: the sandbox's SHA-256 is JavaScript, and most of the work at the start of a task. */
export function knownDigestOf(plan: Plan): string {
  const text = JSON.stringify(plan);
  const before = known.get(text);
  if (before !== undefined) return before;
  const digest = digestOf(plan);
  if (text.length > MAX_TEXT) return digest;
  if (known.size >= MAX_DIGESTS) known.delete(known.keys().next().value as string);
  known.set(text, digest);
  return digest;
}
