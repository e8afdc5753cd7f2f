import type { Connection } from '@temporalio/client';

type TestService = NonNullable<Connection['testService']>;

/**
 * The clock of a test server, which runs with real time until it skips ahead.
 *
 * Times are milliseconds since 1970.
 */
export class TestClock {
  constructor(private readonly service: TestService) {}

  async now(): Promise<number> {
    const { time } = await this.service.getCurrentTime({});
    return millisecondsOf(time);
  }

  /** Moves the clock on, as far as no work is under way: the server waits for running activities. */
  async skip(ms: number): Promise<void> {
    const whole = Math.floor(ms / 1000);
    const nanos = Math.round((ms - whole * 1000) * 1_000_000);
    await this.service.unlockTimeSkippingWithSleep({ duration: { seconds: whole as never, nanos } });
  }
}

/** A time or a duration of Temporal's. */
export interface Timestamp {
  seconds?: unknown;
  nanos?: number | null;
}

/** Milliseconds of a time or duration of Temporal's; 0 where there is none. */
export function millisecondsOf(time: Timestamp | null | undefined): number {
  return Number(time?.seconds ?? 0) * 1000 + (time?.nanos ?? 0) / 1_000_000;
}
