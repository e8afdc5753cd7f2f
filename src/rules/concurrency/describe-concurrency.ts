import type { OnBusy, PlanConcurrency, Turn } from '../../contracts/concurrency.js';

const OTHERS: Record<OnBusy, string> = {
  wait: 'others wait',
  refuse: 'others are refused',
  cancel_older: 'the newest cancels the older ones',
  newest: 'of the others only the newest waits',
};

export function describeConcurrency({ key, limit, on_busy }: PlanConcurrency): string {
  return `${limit === 1 ? 'one at a time' : `at most ${limit} at once`} with the key ${key}; ${OTHERS[on_busy]}`;
}

export function describeWait({ key, held_by }: Turn): string {
  return held_by.length === 0
    ? `its turn with the key ${key}: the lock has not answered yet`
    : `its turn: ${key} is held by ${held_by.join(', ')}`;
}
