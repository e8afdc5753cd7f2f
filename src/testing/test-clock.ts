import type { Connection } from '@temporalio/client';

type TestService = NonNullable<Connection['testService']>;

/** The clock of a test server, in milliseconds since 1970. It runs with real time until it skips ahead. */
export class TestClock {
  constructor(private readonly service: TestService) {}

  async now(): Promise<number> {
    const { time } = await this.service.getCurrentTime({});
    return millisecondsOf(time);
  }

  /** Advances the clock; the server first waits for running activities. */
  async skip(ms: number): Promise<void> {
    const whole = Math.floor(ms / 1000);
    const nanos = Math.round((ms - whole * 1000) * 1_000_000);
    await this.service.unlockTimeSkippingWithSleep({ duration: { seconds: whole as never, nanos } });
  }
}

export interface Timestamp {
  seconds?: unknown;
  nanos?: number | null;
}

/** 0 if there is no value. */
export function millisecondsOf(time: Timestamp | null | undefined): number {
  return Number(time?.seconds ?? 0) * 1000 + (time?.nanos ?? 0) / 1_000_000;
}
