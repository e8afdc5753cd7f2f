import type { PlanUnknown } from '../../contracts/plan.js';
import { formatDuration } from '../duration.js';

/** Whom a call asks if its outcome is lost, for people. */
export function describeUnknown({
  call,
  attempts,
  wait_ms,
}: Pick<PlanUnknown, 'call' | 'attempts' | 'wait_ms'>): string {
  const times = attempts === 1 ? 'once' : `up to ${attempts} times`;
  return `if its outcome is lost: asks ${call} ${times}, after ${formatDuration(wait_ms)} each`;
}
