import { AbilityError } from '../../contracts/problem.js';

export interface Rate {
  /** Requests at once, after a pause. */
  burst: number;
  /** Requests per second after that. */
  perSecond: number;
}

interface Bucket {
  left: number;
  /** Milliseconds on the given clock. */
  at: number;
}

/**
 * The maximum number of callers to remember; the one seen longest ago is dropped, and has a full burst when it returns.
 */
const MAX_CALLERS = 10_000;

export class RateLimit {
  private readonly buckets = new Map<string, Bucket>();

  constructor(
    private readonly rate: Rate,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Counts one request. @throws AbilityError `door.too_many`, with seconds to wait in `details.retry_after`. */
  take(caller: string): void {
    const { burst, perSecond } = this.rate;
    const now = this.now();
    const known = this.buckets.get(caller) ?? { left: burst, at: now };
    const left = Math.min(burst, known.left + ((now - known.at) / 1000) * perSecond);
    this.buckets.delete(caller);
    this.buckets.set(caller, { left: left >= 1 ? left - 1 : left, at: now });
    if (this.buckets.size > MAX_CALLERS) this.buckets.delete(this.buckets.keys().next().value as string);
    if (left >= 1) return;
    const retry_after = Math.max(1, Math.ceil((1 - left) / perSecond));
    throw new AbilityError({
      code: 'door.too_many',
      message: `One caller may send at most ${perSecond} requests a second, and ${burst} at once`,
      suggestion: `Ask again in ${retry_after} s.`,
      details: { retry_after },
    });
  }
}
