import { setTimeout as pause } from 'node:timers/promises';
import { CallFailure } from '../../../activities/call/call-failure.js';
import type { CallInput } from '../../../activities/call/call-input.js';

const WINDOWS = { per_minute: 60_000, per_day: 86_400_000 } as const;

/** Delays calls, at most until their timeout. Each worker process counts alone, in sliding windows. */
export class RateLimiter {
  private readonly starts = new Map<string, number[]>();

  /** @throws CallFailure `unavailable.rate_limited` when no slot comes free in time. */
  async take(
    implementation: string,
    limits: { per_minute?: number; per_day?: number } | null,
    call: Pick<CallInput, 'timeoutMs' | 'stop'>,
  ): Promise<void> {
    if (!limits) return;
    const deadline = Date.now() + call.timeoutMs;
    for (;;) {
      const wait = this.tryTake(implementation, limits);
      if (wait === 0) return;
      if (Date.now() + wait > deadline) throw limited(implementation, wait);
      await pause(wait, undefined, { signal: call.stop }).catch(() => {
        throw limited(implementation, wait);
      });
    }
  }

  /** Takes a slot and returns 0, or returns the milliseconds until one is free. */
  private tryTake(implementation: string, limits: { per_minute?: number; per_day?: number }): number {
    const now = Date.now();
    const starts = (this.starts.get(implementation) ?? []).filter((start) => start > now - WINDOWS.per_day);
    let wait = 0;
    for (const [name, window] of Object.entries(WINDOWS) as [keyof typeof WINDOWS, number][]) {
      const max = limits[name];
      if (max === undefined) continue;
      const within = starts.filter((start) => start > now - window);
      const oldest = within[within.length - max];
      if (oldest !== undefined) wait = Math.max(wait, oldest + window - now);
    }
    if (wait === 0) starts.push(now);
    this.starts.set(implementation, starts);
    return wait;
  }
}

function limited(implementation: string, wait: number): CallFailure {
  return new CallFailure({
    code: 'unavailable.rate_limited',
    message: `${implementation} can be called again in ${Math.ceil(wait / 1000)} s, which is beyond the time-out`,
    suggestion: 'Wait, or raise `rate_limit`.',
  });
}
