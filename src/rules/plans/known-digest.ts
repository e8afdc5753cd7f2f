import type { Plan } from '../../contracts/plan.js';
import { digestOf } from '../canonical.js';

const MAX_DIGESTS = 50;
/** Characters. */
const MAX_TEXT = 64 * 1024;

/** By the plan as JSON; of several texts of one plan each has its entry. */
const known = new Map<string, string>();

/**
 * The digest of a plan, computed once for the tasks that share it: it is most of the sandbox's work at the start of a
 * task, where SHA-256 is JavaScript.
 */
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
