import type { RetryPolicy } from '@temporalio/common';
import { RETRY } from '../rules/call-limits.js';
import { jittered } from '../rules/retry-condition.js';

/**
 * The wait before the attempt after this one, where it is a random part of what the policy says.
 *
 * Carried by the failure of the attempt, so that it costs no event. Milliseconds.
 */
export function jitteredDelay(policy: RetryPolicy | undefined, attempt: number, random = Math.random): number {
  const { initialInterval, backoffCoefficient = RETRY.factor, maximumInterval } = policy ?? {};
  // An activity sees the times of its policy as numbers, however they were written.
  const first = typeof initialInterval === 'number' ? initialInterval : RETRY.firstMs;
  const most = typeof maximumInterval === 'number' ? maximumInterval : Math.max(RETRY.maxMs, first);
  return jittered(Math.min(first * backoffCoefficient ** (attempt - 1), most), random);
}
